/// @file
/// @brief  Memory and launchers of the golden hashes on the executor.
#pragma once

#include <parprims/detail/device/call/executor_launcher.hpp>
#include <parprims/detail/device/call/sized.hpp>
#include <parprims/detail/executor/memory.hpp>
#include <parprims/sized_on_device.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace contract {

namespace device = parprims::detail::device;
namespace executor = parprims::detail::simt::executor;

/// n values in memory for kernels, `offset` values after an address that is a multiple of 256.
template <class T>
class kernel_place {
public:
    kernel_place(std::size_t n, std::size_t offset) : n_(n), offset_(offset), bytes_((offset + n) * sizeof(T)) {}
    kernel_place(const std::vector<T>& values, std::size_t offset) : kernel_place(values.size(), offset)
    {
        if (n_ != 0)
            std::memcpy(static_cast<void*>(data()), values.data(), n_ * sizeof(T));
    }
    T* data() { return reinterpret_cast<T*>(bytes_.data() + offset_ * sizeof(T)); }
    const T* values() { return data(); }
    std::vector<T> read() { return {data(), data() + n_}; }

private:
    std::size_t n_;
    std::size_t offset_;
    executor::buffer<unsigned char> bytes_;
};

/// Blocks that wait give up soon, so that fewer blocks may be resident than a GPU has.
class launcher : public executor::launcher {
public:
    using executor::launcher::launcher;

    template <class Kernel>
    void launch(const device::launch_shape& shape, Kernel kernel)
    {
        if constexpr (requires { kernel.max_spins; })
            kernel.max_spins = 2;
        executor::launcher::launch(shape, kernel);
    }
};

/// Plans for more elements, or segments, than there are. The size lies in memory, and elements behind it do not exist.
class sized_launcher : public device::sized_launcher<launcher> {
public:
    sized_launcher(const executor::options& how, const device::gpu_properties& gpu, std::size_t n, std::size_t bound)
        : device::sized_launcher<launcher>(how, gpu), count_(std::vector<std::uint64_t>{n}, 0)
    {
        set(parprims::sized_on_device(count_.data(), count_.data(), bound).begin().size());
    }

private:
    kernel_place<std::uint64_t> count_;
};

}  // namespace contract

template <>
inline constexpr bool parprims::detail::device::reads_size<contract::sized_launcher> = true;
