// How the kernel is tried. Included behind it, in a namespace of its own.

inline const exercises::exercise exercise = {
    "05_shuffle_sum",
    "a sum by shuffles",
    {256, 1, 255, 257, 1000, 4096},
    {{exercises::metric::barriers, 1}, {exercises::metric::shared_requests, 9}, {exercises::metric::bank_conflicts, 0}},
    exercises::try_block_sums<block_sum, 256>,
    4194304};
