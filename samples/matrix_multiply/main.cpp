// C = A B on a GPU: what shared memory is for.
//
// Every element of A and B is needed by a whole row or column of C. The textbook's kernel asks global memory each time; a
// tile in shared memory asks once for a block; a square of C in the registers of each thread asks shared memory less too.
// The sample prints how much arithmetic each does for a byte of global memory, and what that gives. Without a GPU it runs
// the same kernels on the CPU, lane by lane, and prints what they did.
//
//   matrix_multiply                             every kernel
//   matrix_multiply --sizes 16..8192            global against shared memory at every size
//   matrix_multiply --shape 1000x333x77         A is 1000 x 333, B is 333 x 77
#include "matrix_multiply/engine.hpp"
#include "support/backend.hpp"
#include "support/chart.hpp"
#include "support/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <stdexcept>

namespace {

using namespace matrix_multiply;

struct options {
    samples::backend wish = samples::backend::automatic;
    std::string json;
    std::vector<std::size_t> sizes;
    std::vector<int> kernels;
    std::optional<shape> rectangle;
};

std::string format_shape(const shape& size)
{
    return size.m == size.n && size.m == size.k ? fmt::format("{}", size.m)
                                                : fmt::format("{}x{}x{}", size.m, size.k, size.n);
}

/// `MxKxN`, of digits alone.
shape parse_shape(const std::string& text)
{
    shape one{};
    const char* at = text.data();
    const char* const end = at + text.size();
    for (std::size_t* const side : {&one.m, &one.k, &one.n}) {
        const auto [rest, error] = std::from_chars(at, end, *side);
        if (error != std::errc{} || (side == &one.n ? rest != end : rest == end || *rest != 'x'))
            throw CLI::ValidationError("--shape", fmt::format("'{}' is no shape: write 1000x333x77", text));
        at = rest + 1;
    }
    return one;
}

std::vector<shape> shapes_of(const options& chosen, bool on_device)
{
    std::vector<shape> shapes;
    const auto check = [&](std::size_t side) {
        const std::size_t most = on_device ? 32768 : 1024;
        if (side < 1 || side > most)
            throw CLI::ValidationError("--sizes, --shape",
                                       fmt::format("{} is no number of rows or columns from 1 to {}{}", side, most,
                                                   on_device ? "" : ", which is what the CPU plays lane by lane"));
    };
    if (chosen.rectangle)
        shapes.push_back(*chosen.rectangle);
    std::vector<std::size_t> sizes = chosen.sizes;
    if (sizes.empty() && shapes.empty())
        sizes = {on_device ? std::size_t{4096} : std::size_t{128}};
    for (const std::size_t n : sizes)
        shapes.push_back({n, n, n});
    for (const shape& one : shapes)
        for (const std::size_t side : {one.m, one.k, one.n})
            check(side);
    return shapes;
}

/// What a kernel asks of global memory, in bytes: a block reads its strip of A and of B, and writes its part of C once.
double global_bytes(kernel which, const shape& size)
{
    static constexpr std::array<double, 4> tiles{1, 16, 32, 128};
    const double tile = tiles[which];
    return 4 * (size.operations() / tile + static_cast<double>(size.m) * static_cast<double>(size.n));
}

std::vector<samples::table::column> header(bool on_device)
{
    if (!on_device)
        return samples::count_columns({{"kernel", "kernel"}, {"size", "size"}},
                                      {{"FLOP/byte", "operations_per_byte"}, {"C", "is_right"}});
    return {{"kernel", "kernel"},
            {"size", "size"},
            {"time", "seconds"},
            {"TFLOP/s", "teraflops"},
            {"FLOP/byte", "operations_per_byte"},
            {"global x", "speed_up"},
            {"of cuBLAS", "share_of_cublas"},
            {"C", "is_right"}};
}

class findings {
public:
    explicit findings(bool on_device)
        : rows(header(on_device)),
          chart{"C = A B", "columns of C", on_device ? "TFLOP/s" : "transactions with global memory"},
          on_device_(on_device)
    {
    }

    /// All kernels at one size; of cuBLAS the last.
    void add(const shape& size, const std::vector<std::pair<kernel, result>>& found)
    {
        double global = 0, library = 0;
        for (const auto& [which, one] : found) {
            global = which == naive ? one.seconds : global;
            library = which == cublas ? one.seconds : library;
        }
        for (const auto& [which, one] : found) {
            all_right = all_right && one.is_right;
            const samples::cell name = names[which], side = format_shape(size);
            const samples::cell intensity =
                which == cublas ? samples::nothing
                                : samples::cell{size.operations() / global_bytes(which, size), "{:.2f}"};
            double value = static_cast<double>(one.did.transactions);
            if (on_device_) {
                value = size.operations() / one.seconds / 1e12;
                rows.add({name,
                          side,
                          samples::seconds_of(one.seconds),
                          {value, "{:.3f}"},
                          intensity,
                          global > 0 ? samples::cell{global / one.seconds, "{:.2f} x"} : samples::nothing,
                          library > 0 ? samples::percent(library / one.seconds) : samples::nothing,
                          one.is_right});
            } else {
                rows.add(samples::count_cells({name, side}, one.did, {intensity, one.is_right}));
            }
            chart.add(names[which], static_cast<double>(size.n), value);
        }
    }

    samples::table rows;
    samples::line_chart chart;
    bool all_right = true;

private:
    bool on_device_;
};

int run(const options& chosen)
{
    const samples::place where = samples::choose_place(chosen.wish);
    const auto shapes = shapes_of(chosen, where.on_device);
    const bool only_cublas = std::ranges::all_of(chosen.kernels, [](int number) { return number == cublas; });
    if (!where.on_device && only_cublas)
        throw CLI::ValidationError("--kernels", "cuBLAS needs a GPU, and there is none here");
    samples::check_files({}, {{"--json", chosen.json}});
#if SAMPLES_ON_GPU
    const auto machine = where.on_device ? make_gpu_engine() : make_executor_engine();
#else
    const auto machine = make_executor_engine();
#endif
    fmt::print("matrix_multiply runs on the {}{}\n", where.name,
               where.on_device ? "" : ", which plays a GPU lane by lane");
    if (!machine->has(cublas)) {
        if (only_cublas)
            throw std::runtime_error("cuBLAS was not found");
        if (std::ranges::count(chosen.kernels, int{cublas}) != 0)
            fmt::print("cuBLAS {} and is left out\n", where.on_device ? "was not found" : "needs a GPU");
    }
    fmt::print("\n");
    findings all(where.on_device);
    {
        samples::progress progress(shapes.size() * chosen.kernels.size());
        for (const shape& size : shapes) {
            std::vector<std::pair<kernel, result>> found;
            for (const int number : chosen.kernels) {
                const auto which = static_cast<kernel>(number);
                progress.next(fmt::format("{}, {}", names[which], format_shape(size)));
                if (machine->has(which))
                    found.emplace_back(which, machine->run(which, size));
            }
            all.add(size, found);
        }
    }
    all.rows.print();
    fmt::print("\n");
    return samples::finish("matrix_multiply", where, {{"all products are right", all.all_right}}, all.rows,
                           all.chart.to_json(), chosen.json);
}

}  // namespace

int main(int argc, char** argv)
{
    CLI::App app("Multiplies matrices from global memory, through shared memory and through registers.",
                 "matrix_multiply");
    options chosen;
    chosen.kernels = {naive, tiled_16, tiled_32, blocked, cublas};
    samples::add_backend_option(app, chosen.wish);
    samples::add_sizes_option(app, "--sizes", chosen.sizes,
                              "square matrices, as 1000 or 16..8192 (default: 4096; CPU: 128)");
    app.add_option_function<std::string>(
           "--shape", [&](const std::string& text) { chosen.rectangle = parse_shape(text); }, "A is M x K, B is K x N")
        ->type_name("MxKxN");
    samples::add_numbers_option(app, "--kernels", chosen.kernels, cublas,
                                "0 naive, 1 tiled 16, 2 tiled 32, 3 registers, 4 cuBLAS (default: all)");
    samples::add_report_option(app, chosen.json);
    return samples::run_program(app, argc, argv, [&] { return run(chosen); });
}
