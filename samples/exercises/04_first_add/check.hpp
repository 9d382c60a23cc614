// How the kernel is tried. Included behind it, in a namespace of its own.

inline const exercises::exercise exercise = {
    "04_first_add",
    "the first addition while loading",
    {512, 1, 255, 257, 513, 1000, 4096},
    {{exercises::metric::load_sectors, 4}, {exercises::metric::barriers, 9}, {exercises::metric::shared_requests, 45}},
    exercises::try_block_sums<block_sum, 512>,
    4194304};
