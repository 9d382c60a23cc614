// How the kernel is tried. Included behind it, in a namespace of its own.

inline void run(exercises::trial& trial, std::size_t tiles)
{
    std::vector<int> values(256 * tiles), reversed(256 * tiles);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<int>(i);
        reversed[i] = static_cast<int>(i / 256 * 256 + 255 - i % 256);
    }
    int* const out = trial.output<int>("out", values.size());
    trial.launch(trial.grid(2), 256, reverse{trial.input("in", values), out, static_cast<unsigned>(tiles)});
    trial.expect("out", out, reversed);
}

inline const exercises::exercise exercise = {
    "18_bug_barrier",
    "find the bug: values are reversed",
    {2, 3, 8},
    {{exercises::metric::barriers, 8}, {exercises::metric::load_sectors, 4}, {exercises::metric::bank_conflicts, 0}},
    run,
    16384};
