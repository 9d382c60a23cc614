// How the kernel is tried. Included behind it, in a namespace of its own.

inline void run(exercises::trial& trial, std::size_t n)
{
    std::vector<int> values(n), result;
    for (std::size_t i = 0; i < n; ++i) {
        values[i] = i * i % 7 < 3 ? static_cast<int>(i + 1) : 0;
        if (values[i] != 0)
            result.push_back(values[i]);
    }
    std::vector<int> filled = result;
    filled.resize(n, exercises::not_written<int>());
    int* const out = trial.output<int>("out", n);
    unsigned* const kept = trial.output<unsigned>("kept", 1);
    trial.launch(1, 256, compaction{trial.input("in", values), out, kept, static_cast<unsigned>(n)});
    trial.expect("kept", kept, {static_cast<unsigned>(result.size())}, {{{0}, "nothing was counted"}});
    trial.expect("out", out, filled);
}

inline const exercises::exercise exercise = {
    "16_compaction",
    "the values that a filter keeps",
    {256, 1, 255, 257, 2048},
    {{exercises::metric::barriers, 16}, {exercises::metric::store_sectors, 4}, {exercises::metric::load_sectors, 4}},
    run,
    1048576};
