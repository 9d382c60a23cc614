// How the kernel is tried. Included behind it, in a namespace of its own.

inline void run(exercises::trial& trial, std::size_t n)
{
    std::vector<float> a(n * n), b(n * n), c(n * n), of_first_tile(n * n);
    for (std::size_t i = 0; i < n * n; ++i) {
        a[i] = static_cast<float>(i % 7);
        b[i] = static_cast<float>(i % 5) - 2;
    }
    for (std::size_t r = 0; r < n; ++r)
        for (std::size_t s = 0; s < n; ++s)
            for (std::size_t k = 0; k < n; ++k) {
                c[r * n + s] += a[r * n + k] * b[k * n + s];
                if (k < 16)
                    of_first_tile[r * n + s] += a[r * n + k] * b[k * n + s];
            }
    float* const out = trial.output<float>("c", n * n);
    trial.launch(n / 16 * (n / 16), 256,
                 product{trial.input("a", a), trial.input("b", b), out, static_cast<unsigned>(n)});
    trial.expect("c", out, c,
                 {{of_first_tile, "it is the product of the first tiles alone"},
                  {std::vector<float>(n * n), "nothing was added"}});
}

inline const exercises::exercise exercise = {"15_product",
                                             "a product of matrices in tiles",
                                             {16, 32, 48},
                                             {{exercises::metric::loaded_bytes, 6144},
                                              {exercises::metric::load_sectors, 4},
                                              {exercises::metric::bank_conflicts, 0},
                                              {exercises::metric::barriers, 6}},
                                             run,
                                             512};
