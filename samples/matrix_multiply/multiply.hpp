/// @file
/// @brief  What drives the kernels with either launcher, the matrices, and the check of the answer.
#pragma once

#include "matrix_multiply/blocked_kernel.hpp"
#include "matrix_multiply/engine.hpp"
#include "matrix_multiply/kernels.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace matrix_multiply {

template <class Launcher>
void multiply(Launcher& launcher, kernel which, const product& p)
{
    const auto launch = [&](const auto& one) { launcher.launch(one.blocks(), one.threads, one); };
    const auto is_aligned = [](const float* x) { return reinterpret_cast<std::uintptr_t>(x) % 16 == 0; };
    switch (which) {
    case naive: return launch(naive_kernel{p});
    case tiled_16: return launch(tiled_kernel<16>{p});
    case tiled_32: return launch(tiled_kernel<32, 4>{p});
    default: break;
    }
    const bool has_quads =
        p.k % 4 == 0 && p.n % 4 == 0 && is_aligned(p.a.data) && is_aligned(p.b.data) && is_aligned(p.c.data);
    launch(blocked_kernel{p, has_quads});
}

/// Eighths from -1 to 1: products are whole 64ths, and sums of up to 2^18 of them are exact as a float, in any order.
inline std::vector<float> make_matrix(std::size_t count, std::uint32_t seed)
{
    std::vector<float> values(count);
    std::uint32_t x = seed;
    for (float& value : values) {
        x = x * 1664525u + 1013904223u;
        value = static_cast<float>(static_cast<int>((x >> 16) % 17) - 8) / 8;
    }
    return values;
}

/// Rows that are checked: all of a small product; of a large one the first and the last of some tiles.
inline std::vector<std::size_t> rows_to_check(const shape& size)
{
    std::set<std::size_t> rows;
    const bool all = size.operations() < 1e8;
    for (std::size_t row = 0; row < size.m; ++row)
        if (all || row == 0 || row == 127 || row == size.m / 2 || row + 1 == size.m)
            rows.insert(row);
    return {rows.begin(), rows.end()};
}

/// A row of the product, in double precision.
inline std::vector<double> reference_row(const std::vector<float>& a, const std::vector<float>& b, const shape& size,
                                         std::size_t row)
{
    std::vector<double> sums(size.n);
    for (std::size_t i = 0; i < size.k; ++i) {
        const double factor = a[row * size.k + i];
        for (std::size_t j = 0; j < size.n; ++j)
            sums[j] += factor * static_cast<double>(b[i * size.n + j]);
    }
    return sums;
}

/// A pair of matrices with their product in double precision, or some rows of it.
class problem {
public:
    explicit problem(const shape& size)
        : size(size), a(make_matrix(size.m * size.k, 1)), b(make_matrix(size.k * size.n, 2)), rows_(rows_to_check(size))
    {
        for (const std::size_t row : rows_)
            expected_.push_back(reference_row(a, b, size, row));
    }

    /// Whether the rows of `c`, in memory of the launcher, are the right ones.
    template <class Launcher>
    bool is_product(Launcher& launcher, const float* c) const
    {
        bool is_right = true;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const auto found = launcher.fetch(c + rows_[i] * size.n, size.n);
            is_right = is_right && std::equal(found.begin(), found.end(), expected_[i].begin(),
                                              [](float x, double y) { return static_cast<double>(x) == y; });
        }
        return is_right;
    }

    const shape size;
    const std::vector<float> a;
    const std::vector<float> b;

private:
    std::vector<std::size_t> rows_;
    std::vector<std::vector<double>> expected_;
};

}  // namespace matrix_multiply
