// The kernels of the sample matrix_multiply beside cuBLAS, where the machine has it: single precision, no tensor cores.
#include "device_support.cuh"
#include "groups.hpp"
#include "matrix_multiply/cublas.hpp"
#include "matrix_multiply/multiply.hpp"

#include <parprims/detail/device/call/cuda_launcher.hpp>

namespace bench {

namespace {

namespace mm = matrix_multiply;

/// Launches in the stream of the bench.
struct launcher_at {
    pp::detail::device::cuda_launcher<> launcher;

    explicit launcher_at(cudaStream_t stream) : launcher("matrix", pp::device.on(stream), nullptr) {}

    template <class Kernel>
    void launch(std::size_t blocks, unsigned block_threads, const Kernel& kernel) const
    {
        launcher.launch({blocks, block_threads, sizeof(typename Kernel::shared_storage)}, kernel);
    }
};

/// Eighths from -1 to 1: sums of their products are exact in any order.
struct random_eighths {
    random_word word;

    __host__ __device__ float operator()(std::size_t i) const
    {
        return static_cast<float>(static_cast<int>(word(i) % 17) - 8) / 8;
    }
};

}  // namespace

void matrix(report& out, const options& asked)
{
    constexpr mm::kernel ours[] = {mm::naive, mm::tiled_16, mm::tiled_32, mm::blocked};
    const std::vector<std::size_t> all =
        asked.quick ? std::vector<std::size_t>{250, 512} : std::vector<std::size_t>{512, 1024, 2048, 4096, 8192};
    const auto room = all.back() * all.back();
    const auto a = filled<float>(room, random_eighths{{5}});
    const auto b = filled<float>(room, random_eighths{{6}});
    pp::device_buffer<float> c(room), others(room);
    std::unique_ptr<mm::cublas_library> cublas;  // opened in the stream that is measured
    const bool has_cublas = mm::cublas_library::open(nullptr) != nullptr;
    for (const mm::kernel which : ours)
        for (const std::size_t side : all) {
            const auto count = static_cast<double>(side * side);
            const mm::product product{a.data(), b.data(), c.data(), side, side, side};
            call reference;
            if (has_cublas)
                reference = [&](cudaStream_t stream, std::size_t) {
                    if (cublas == nullptr)
                        cublas = mm::cublas_library::open(stream);
                    cublas->multiply(a.data(), b.data(), others.data(), side, side, side);
                };
            row next{.work = "matrix product",
                     .type = "f32",
                     .variant = mm::names[which],
                     .n = side,
                     .bytes = 12 * count,
                     .reference = "cuBLAS"};
            next.operations = 2 * count * static_cast<double>(side);
            measure(
                out, asked, next, {false, side <= 1024 ? 20 : 4, 1},
                [&](cudaStream_t stream, std::size_t) {
                    launcher_at launcher{stream};
                    mm::multiply(launcher, which, product);
                },
                reference, [&] { return !has_cublas || agree(c.data(), others.data(), side * side); });
        }
}

}  // namespace bench
