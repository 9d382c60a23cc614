// How the kernel is tried. Included behind it, in a namespace of its own.

inline void run(exercises::trial& trial, std::size_t n)
{
    const std::size_t blocks = (n + 255) / 256;
    std::vector<int> values(n), result(n), within(n);
    int sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        values[i] = static_cast<int>(i * i % 101 + 1);
        result[i] = sum += values[i];
        within[i] = (i % 256 == 0 ? 0 : within[i - 1]) + values[i];
    }
    std::vector<int> with_own(n), with_one(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t first = i / 256 * 256;
        with_own[i] = result[i] + within[std::min(n - 1, first + 255)];
        with_one[i] = within[i] + (first == 0 ? 0 : within[first - 1]);
    }
    int* const out = trial.output<int>("out", n);
    trial.launch(blocks, 256,
                 scan{trial.input("in", values), out, trial.zeros<std::uint64_t>("words", blocks),
                      trial.zeros<unsigned>("ticket", 1), static_cast<unsigned>(n)});
    trial.expect(
        "out", out, result,
        {{within, "each tile begins again at 0: what comes before it is not added"},
         {with_own, "the tile's own total is added, too: look back from the tile before it on"},
         {with_one, "only the total of one tile before is added: a prefix is the sum of all tiles up to its own"}});
}

inline const exercises::exercise exercise = {"10_single_pass",
                                             "a scan in a single pass",
                                             {256, 1, 257, 1000, 8192},
                                             {{exercises::metric::load_sectors, 4},
                                              {exercises::metric::store_sectors, 4},
                                              {exercises::metric::barriers, 4},
                                              {exercises::metric::loaded_bytes, 1100}},
                                             run,
                                             4194304};
