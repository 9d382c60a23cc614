// How the kernel is tried. Included behind it, in a namespace of its own.

inline void run(exercises::trial& trial, std::size_t n)
{
    std::vector<int> values(n * n), transposed(n * n), within(n * n);
    for (std::size_t r = 0; r < n; ++r)
        for (std::size_t c = 0; c < n; ++c) {
            values[r * n + c] = static_cast<int>(r * n + c);
            transposed[c * n + r] = values[r * n + c];
        }
    for (std::size_t r = 0; r < n; ++r)
        for (std::size_t c = 0; c < n; ++c)
            within[r * n + c] = values[(r / 32 * 32 + c % 32) * n + c / 32 * 32 + r % 32];
    int* const out = trial.output<int>("out", n * n);
    trial.launch(n / 32 * (n / 32), 1024, transpose{trial.input("in", values), out, static_cast<unsigned>(n)});
    trial.expect("out", out, transposed,
                 {{within, "each tile is transposed, but stays at its place: tile (r, c) belongs to (c, r)"},
                  {values, "it is the input: rows are still rows"}});
}

inline const exercises::exercise exercise = {"14_transpose",
                                             "a transposition in tiles",
                                             {32, 96, 64},
                                             {{exercises::metric::load_sectors, 4},
                                              {exercises::metric::store_sectors, 4},
                                              {exercises::metric::bank_conflicts, 0},
                                              {exercises::metric::barriers, 1}},
                                             run,
                                             2048};
