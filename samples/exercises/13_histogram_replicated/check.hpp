// How the kernel is tried. Included behind it, in a namespace of its own.

inline void run(exercises::trial& trial, std::size_t n)
{
    std::vector<unsigned> values(n), counts(64), once(64), of_replica(64);
    for (std::size_t i = 0; i < n; ++i) {
        values[i] = i % 17 == 5 ? static_cast<unsigned>(i % 64) : 33u;
        ++counts[values[i]];
        once[values[i]] = 1;
        of_replica[values[i]] += i % 8 == 0;
    }
    unsigned* const out = trial.zeros<unsigned>("counts", 64);
    trial.launch(trial.grid(8), 256, histogram{trial.input("in", values), out, static_cast<unsigned>(n)});
    trial.expect("counts", out, counts,
                 {{once, "every bin has 1 at most: was the count set, and not added to?"},
                  {of_replica, "these are the counts of one replica alone: all 8 must be added"},
                  {std::vector<unsigned>(64), "nothing was counted"}});
}

inline const exercises::exercise exercise = {
    "13_histogram_replicated",
    "a histogram of skewed data",
    {2048, 1, 255, 3000, 16384},
    {{exercises::metric::shared_passes, 4}, {exercises::metric::global_atomics, 64}, {exercises::metric::barriers, 2}},
    run,
    4194304};
