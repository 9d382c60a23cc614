// How the kernel is tried. Included behind it, in a namespace of its own.

inline void run(exercises::trial& trial, std::size_t n)
{
    const std::size_t blocks = (n + 255) / 256;
    std::vector<int> values(n), scan(n), within(n), twice(n);
    int sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        values[i] = static_cast<int>(i * i % 101 + 1);
        scan[i] = sum += values[i];
        within[i] = (i % 256 == 0 ? 0 : within[i - 1]) + values[i];
    }
    for (std::size_t i = 0; i < n; ++i)
        twice[i] = within[i] + (i < 256 ? 0 : scan[std::min(n - 1, i / 256 * 256 + 255)]);
    const int* const in = trial.input("in", values);
    int* const out = trial.output<int>("out", n);
    int* const totals = trial.output<int>("totals", blocks);
    int* const total = trial.output<int>("total", 1);
    trial.launch(blocks, 256, scan_blocks{in, out, totals, static_cast<unsigned>(n)});
    trial.launch(1, 256, scan_blocks{totals, totals, total, static_cast<unsigned>(blocks)});
    trial.launch(blocks, 256, add_before{totals, out, static_cast<unsigned>(n)});
    trial.expect(
        "out", out, scan,
        {{within, "each block begins again at 0: what comes before it is not added"},
         {twice, "each block adds its own total, too: its prefix is the scanned total of the block before it"}});
}

inline const exercises::exercise exercise = {
    "09_scan_of_blocks",
    "a scan of many blocks",
    {256, 1, 257, 1000, 8192},
    {{exercises::metric::load_sectors, 4}, {exercises::metric::store_sectors, 4}, {exercises::metric::barriers, 2}},
    run,
    65536};
