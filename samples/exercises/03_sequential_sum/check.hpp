// How the kernel is tried. Included behind it, in a namespace of its own.

inline const exercises::exercise exercise = {"03_sequential_sum",
                                             "a sum with sequential addressing",
                                             {256, 1, 255, 257, 1000, 4096},
                                             {{exercises::metric::bank_conflicts, 0},
                                              {exercises::metric::barriers, 9},
                                              {exercises::metric::divergent_branches, 6}},
                                             exercises::try_block_sums<block_sum, 256>,
                                             4194304};
