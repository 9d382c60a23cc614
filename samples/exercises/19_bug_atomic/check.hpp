// How the kernel is tried. Included behind it, in a namespace of its own.

inline void run(exercises::trial& trial, std::size_t n)
{
    const std::size_t blocks = (n + 255) / 256;
    std::vector<int> values(n);
    int sum = 0;
    for (std::size_t i = 0; i < n; ++i)
        sum += values[i] = static_cast<int>(i % 100 + 1);
    int* const total = trial.output<int>("total", 1);
    trial.launch(blocks, 256,
                 total_sum{trial.input("in", values), trial.output<int>("sums", blocks),
                           trial.zeros<unsigned>("arrived", 1), total, static_cast<unsigned>(n)});
    trial.expect("total", total, {sum});
}

inline const exercises::exercise exercise = {
    "19_bug_atomic",
    "find the bug: the last block adds",
    {256, 257, 1000, 4096},
    {{exercises::metric::global_atomics, 1}, {exercises::metric::barriers, 2}, {exercises::metric::load_sectors, 4}},
    run,
    4194304};
