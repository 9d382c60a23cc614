// How the kernel is tried. Included behind it, in a namespace of its own.

inline void run(exercises::trial& trial, std::size_t n)
{
    const std::size_t tile = 512;
    const std::size_t blocks = (n + tile - 1) / tile;
    std::vector<int> values(n), inclusive(n), exclusive(n);
    for (std::size_t i = 0; i < n; ++i) {
        values[i] = static_cast<int>(i * i % 101 + 1);
        exclusive[i] = i % tile == 0 ? 0 : inclusive[i - 1];
        inclusive[i] = exclusive[i] + values[i];
    }
    int* const out = trial.output<int>("out", n);
    trial.launch(blocks, 256, block_scan{trial.input("in", values), out, static_cast<unsigned>(n)});
    trial.expect("out", out, exclusive,
                 {{inclusive, "it is the inclusive scan: each place has its own value, too"},
                  {values, "it is the input: nothing was added"}});
}

inline const exercises::exercise exercise = {"08_blelloch",
                                             "a scan with as few additions as a loop",
                                             {512, 1, 511, 513, 1000, 2048},
                                             {{exercises::metric::barriers, 20},
                                              {exercises::metric::bank_conflicts, 0},
                                              {exercises::metric::shared_requests, 180}},
                                             run,
                                             4194304};
