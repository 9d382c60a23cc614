// How the kernel is tried. Included behind it, in a namespace of its own.

inline void run(exercises::trial& trial, std::size_t n)
{
    std::vector<int> x(n), y(n);
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = static_cast<int>(i * 7 + 3);
        y[i] = 5 * x[i];
    }
    int* const out = trial.output<int>("y", n);
    trial.launch((n + 255) / 256, 256, scale{trial.input("x", x), out, 5, static_cast<unsigned>(n)});
    trial.expect("y", out, y, {{x, "the values were copied, and not multiplied by a"}});
}

inline const exercises::exercise exercise = {"01_scale",
                                             "a function of each element",
                                             {256, 1, 255, 1000, 4096},
                                             {{exercises::metric::load_sectors, 4},
                                              {exercises::metric::store_sectors, 4},
                                              {exercises::metric::active_lanes, 32}},
                                             run,
                                             4194304};
