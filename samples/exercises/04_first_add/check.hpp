// How the kernel is tried. Included behind it, in a namespace of its own.

inline void run(exercises::trial& trial, std::size_t n)
{
    const std::size_t tile = 512;
    const std::size_t blocks = (n + tile - 1) / tile;
    std::vector<int> values(n), sums(blocks), firsts(blocks), halves(blocks);
    for (std::size_t i = 0; i < n; ++i) {
        values[i] = static_cast<int>(i * i % 1009 + 2);
        sums[i / tile] += values[i];
        firsts[i / tile] += i % tile == 0 ? values[i] : 0;
        halves[i / tile] += i % tile < tile / 2 ? values[i] : 0;
    }
    std::vector<int> with_ones = sums;
    with_ones.back() += static_cast<int>(blocks * tile - n);
    int* const out = trial.output<int>("sums", blocks);
    trial.launch(blocks, 256, block_sum{trial.input("in", values), out, static_cast<unsigned>(n)});
    trial.expect(
        "sums", out, sums,
        {{firsts, "it is the block's first value, to which nothing was added"},
         {halves, "it is the sum of the first half of the block's values: is a round missing, or one value a thread?"},
         {with_ones, "threads without an element brought 1 each; the identity of + is 0"}});
}

inline const exercises::exercise exercise = {
    "04_first_add",
    "the first addition while loading",
    {512, 1, 255, 257, 513, 1000, 4096},
    {{exercises::metric::load_sectors, 4}, {exercises::metric::barriers, 9}, {exercises::metric::shared_requests, 45}},
    run,
    4194304};
