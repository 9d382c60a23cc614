/// @file
/// @brief  The edges of a variable_axis and the table of its cells (edge_cells.hpp), made on the host.
#pragma once

#include <parprims/detail/axis/edge_cells.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace parprims::detail::axis {

/// The rule with at most `most` cells that has cells for so many doublings of the distance. None: all are equally wide.
template <class T>
cell_rule<T> cells_with_doublings(const std::vector<T>& edges, std::size_t most, std::uint32_t doublings)
{
    constexpr unsigned fraction_bits = 23;
    constexpr std::uint32_t least_exponent = 27;  // 2^-100: beside it, subnormal distances are 0 with and without -ftz
    constexpr std::uint32_t most_exponent = 254;
    cell_rule<T> rule{edges.front(), 0, 0};
    const std::uint32_t above = (rule.leading_bits(edges.back()) >> fraction_bits) + 1;  // the bias is 0 as yet
    const std::uint32_t exponent = above < least_exponent + doublings ? least_exponent : above - doublings;
    rule.bias = (exponent < most_exponent ? exponent : most_exponent) << fraction_bits;
    while (rule(edges.back()) >= most)
        ++rule.shift;
    return rule;
}

/// Whether all cells overlap at most two bins: no two edges are in one cell.
template <class T>
bool separates(const cell_rule<T>& rule, const std::vector<T>& edges)
{
    for (std::size_t i = 2; i + 1 < edges.size(); ++i)
        if (rule(edges[i]) == rule(edges[i - 1]))
            return false;
    return true;
}

/// The first bin of each cell, to `first_bins`.
template <class T>
void find_first_bins(const std::vector<T>& edges, const cell_rule<T>& rule, std::uint16_t* first_bins)
{
    std::size_t edge = 0;
    for (std::uint32_t cell = 0; cell <= rule(edges.back()); ++cell) {
        first_bins[cell] = static_cast<std::uint16_t>(edge == 0 ? 0 : edge - 1);
        while (edge + 1 < edges.size() && rule(edges[edge]) == cell)
            ++edge;
    }
}

/// The edges of an axis, and one block of memory with these and the first bins of cells, of which a GPU gets a copy.
template <class T>
class edge_table {
public:
    explicit edge_table(std::vector<T> edges) : edges_(std::move(edges))
    {
        choose_rule();
        bytes_.resize(edges_.size() * sizeof(T));
        std::memcpy(bytes_.data(), edges_.data(), bytes_.size());
        if (has_cells_) {
            bytes_.resize(cells_at() + (rule_(edges_.back()) + 1) * sizeof(std::uint16_t));
            find_first_bins(edges_, rule_, reinterpret_cast<std::uint16_t*>(bytes_.data() + cells_at()));
        }
    }

    const std::vector<T>& edges() const { return edges_; }
    const std::vector<unsigned char>& bytes() const { return bytes_; }

    /// @param  table  a copy of `bytes()`
    edge_cells<T> cells_in(const unsigned char* table) const
    {
        if (!has_cells_)
            return {};
        return {reinterpret_cast<const std::uint16_t*>(table + cells_at()), edges_.back(), rule_};
    }

private:
    static constexpr std::size_t most_bins = 65536;  // their numbers have 16 bits
    static constexpr std::size_t most_cells_per_bin = 8, most_cells_of_few_bins = 4096;

    /// The rule with the fewest cells that separates the edges.
    void choose_rule()
    {
        const std::size_t bins = edges_.size() - 1;
        if (bins > most_bins)
            return;
        const std::size_t limit =
            most_cells_per_bin * bins > most_cells_of_few_bins ? most_cells_per_bin * bins : most_cells_of_few_bins;
        for (std::size_t most = 2 * bins; most <= limit; most *= 2)
            for (const std::uint32_t doublings : {0, 4, 8, 16, 32, 64}) {
                rule_ = cells_with_doublings(edges_, most, doublings);
                has_cells_ = separates(rule_, edges_);
                if (has_cells_)
                    return;
            }
    }
    std::size_t cells_at() const
    {
        return edges_.size() * sizeof(T) + edges_.size() * sizeof(T) % sizeof(std::uint16_t);
    }

    std::vector<T> edges_;
    cell_rule<T> rule_{};
    bool has_cells_ = false;
    std::vector<unsigned char> bytes_;
};

}  // namespace parprims::detail::axis
