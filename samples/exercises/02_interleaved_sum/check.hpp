// How the kernel is tried. Included behind it, in a namespace of its own.

inline const exercises::exercise exercise = {"02_interleaved_sum",
                                             "a sum as a tree in shared memory",
                                             {256, 1, 255, 257, 1000, 4096},
                                             {{exercises::metric::barriers, 9}, {exercises::metric::load_sectors, 4}},
                                             exercises::try_block_sums<block_sum, 256>,
                                             4194304};
