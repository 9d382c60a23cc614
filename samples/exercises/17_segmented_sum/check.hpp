// How the kernel is tried. Included behind it, in a namespace of its own.

inline void run(exercises::trial& trial, std::size_t rows)
{
    std::vector<unsigned> offsets{0};
    std::vector<int> values, sums, firsts;
    for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t length = r % 5 == 3 ? 0 : r * r * 37 % 200;
        sums.push_back(0);
        firsts.push_back(0);
        for (std::size_t i = 0; i < length; ++i) {
            values.push_back(static_cast<int>(i * 3 + r + 1));
            sums.back() += values.back();
            firsts.back() += i < 32 ? values.back() : 0;
        }
        offsets.push_back(static_cast<unsigned>(values.size()));
    }
    values.resize(std::max<std::size_t>(values.size(), 1));
    int* const out = trial.output<int>("sums", rows);
    trial.launch((rows + 7) / 8, 256,
                 row_sums{trial.input("in", values), trial.input("offsets", offsets), out,
                          static_cast<unsigned>(rows)});
    trial.expect("sums", out, sums,
                 {{firsts, "it is the sum of the row's first 32 values: rows may be longer than a warp"}});
}

inline const exercises::exercise exercise = {"17_segmented_sum",
                                             "a sum for each row of any length",
                                             {8, 1, 9, 64},
                                             {{exercises::metric::load_sectors, 4}, {exercises::metric::barriers, 0}},
                                             run,
                                             65536};
