// How the kernel is tried. Included behind it, in a namespace of its own.

inline void run(exercises::trial& trial, std::size_t n)
{
    std::vector<unsigned> values(n);
    std::vector<unsigned> narrow(8 * 256);  // the sums of the threads, if they have 32 bits
    std::uint64_t sum = 0, of_threads = 0, wrapped = 0;
    for (std::size_t i = 0; i < n; ++i) {
        values[i] = static_cast<unsigned>(i * 2654435761u | 0x80000000u);
        sum += values[i];
        of_threads += i < 8 * 256 ? values[i] : 0;
        narrow[i % (8 * 256)] += values[i];
    }
    for (const unsigned of_thread : narrow)
        wrapped += of_thread;
    std::uint64_t* const total = trial.zeros<std::uint64_t>("total", 1);
    trial.launch(trial.grid(8), 256, grid_sum{trial.input("in", values), total, static_cast<unsigned>(n)});
    trial.expect("total", total, {sum},
                 {{{of_threads}, "it is the sum of one element a thread: where are those beyond the size of the grid?"},
                  {{wrapped}, "integer overflow: the sum of a thread has 32 bits, and begins again at 0"},
                  {{0}, "nothing was added to it"},
                  {{256 * sum}, "each block's sum was added 256 times: by all of its threads"}});
}

inline const exercises::exercise exercise = {
    "06_grid_stride_sum",
    "one sum, by a grid of any size",
    {2048, 1, 3000, 8192, 16384},
    {{exercises::metric::global_atomics, 1}, {exercises::metric::load_sectors, 4}, {exercises::metric::barriers, 2}},
    run,
    4194304};
