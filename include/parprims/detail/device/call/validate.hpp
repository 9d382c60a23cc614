/// @file
/// @brief  The checks of a device call before it enqueues anything.
#pragma once

#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/detail/runtime/refuse.hpp>
#include <parprims/functional.hpp>
#include <parprims/tuple.hpp>

#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace parprims::detail::device {

/// Fails to compile, and returns false, for a T that kernels cannot copy as bytes through registers, shuffles and scratch.
template <class T>
constexpr bool check_value_type()
{
    static_assert(std::is_trivially_copyable_v<T>,
                  "parprims: a value on the device must be trivially copyable, with no destructor of its own; "
                  "std::pair and std::tuple are not, parprims::tuple is");
    static_assert(sizeof(T) <= 1024, "parprims: a value on the device may have at most 1024 bytes");
    static_assert(alignof(T) <= 128, "parprims: a value on the device may be aligned to at most 128 bytes");
    return std::is_trivially_copyable_v<T> && sizeof(T) <= 1024 && alignof(T) <= 128;
}

template <class... Iterators, class Use>
void for_each_address(const tuple<Iterators...>& all, Use use);

/// Calls `use(address, is_element)` with each pointer that an iterator leads to: with a pointer itself, and with those inside iterators
/// of parprims. The base of a permutation_iterator need not be an element.
template <class Iterator, class Use>
void for_each_address(const Iterator& it, Use use)
{
    if constexpr (std::is_pointer_v<Iterator>) {
        use(const_cast<const void*>(static_cast<const volatile void*>(it)), true);
    } else if constexpr (is_of_parprims<Iterator>) {
        if constexpr (requires { it.indices(); }) {
            device::for_each_address(detail::unwrap(it.indices()), use);
            device::for_each_address(detail::unwrap(it.base()),
                                     [&](const void* address, bool) { use(address, false); });
        } else if constexpr (requires { it.stride(); }) {
            device::for_each_address(detail::unwrap(it.base() + it.index() * it.stride()), use);
        } else if constexpr (requires { it.base(); }) {
            device::for_each_address(detail::unwrap(it.base()), use);
        }
    }
}
template <class... Iterators, class Use>
void for_each_address(const tuple<Iterators...>& all, Use use)
{
    [&]<std::size_t... J>(std::index_sequence<J...>) {
        (device::for_each_address(detail::unwrap(parprims::get<J>(all)), use), ...);
    }(std::index_sequence_for<Iterators...>{});
}

/// What a call reads or writes: `n` elements from `first` on. `IsPair`: zips two ranges, which errors call
/// first1 and first2.
template <class Iterator, bool IsPair = false>
struct call_range {
    call_range(const char* argument, const Iterator& begin, std::size_t count) : name(argument), first(begin), n(count)
    {
    }

    const char* name;
    const Iterator& first;
    std::size_t n;
};

/// The input of a call, whose elements `Transform` takes.
template <class Transform, class Iterator>
call_range<Iterator, is_of_pair<Transform>> input_range(const Iterator& first, std::size_t n)
{
    return {"first", first, n};
}

/// The offsets that a call reads.
inline call_range<const char*> offsets_of(const fixed_segments&)
{
    static constexpr const char* none = nullptr;
    return {"offsets_first", none, 0};
}
template <class Offsets>
call_range<Offsets> offsets_of(const offset_segments<Offsets>& segments)
{
    return {"offsets_first", segments.offsets, segments.count == 0 ? 0 : segments.count + 1};
}

/// The pointers that lead to the elements of `ranges`, by which a call finds its GPU: those to elements first, eight at most.
template <class... Ranges>
runtime::address_list addresses_in(const Ranges&... ranges)
{
    runtime::address_list found;
    for (const bool wanted : {true, false}) {
        const auto add = [&](const auto& range) {
            if (range.n != 0)
                device::for_each_address(range.first, [&](const void* address, bool is_element) {
                    if (is_element == wanted)
                        found.add(address);
                });
        };
        (add(ranges), ...);
    }
    return found;
}

inline void check_config(const char* function, bool holds, const char* field, std::size_t value, const char* limit)
{
    if (!holds)
        runtime::refuse_config(function, field, value, limit);
}

/// Checks the fields that every configuration has.
template <class Config>
void check_common_config(const char* function, const Config& config)
{
    check_config(function, config.block_threads >= 32 && config.block_threads <= 1024 && config.block_threads % 32 == 0,
                 "block_threads", config.block_threads, "a multiple of 32 from 32 to 1024");
    check_config(function, config.blocks_per_sm >= 1 && config.blocks_per_sm <= 32, "blocks_per_sm",
                 config.blocks_per_sm, "from 1 to 32");
}

/// Throws invalid_argument for more blocks than a grid may have.
inline void check_grid(const char* function, std::size_t blocks)
{
    constexpr std::size_t max_blocks = 0x7fffffff;
    if (blocks > max_blocks)
        runtime::refuse(function, "last", "so many elements need % blocks, more than the % of a grid", blocks,
                        max_blocks);
}

constexpr bool is_power_of_two(std::size_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

/// Whether a GPU of this architecture certainly runs code for 9.0 or later, in a file compiled for `built` (as nvcc lists them).
/// A GPU in the list runs its own code. Any other GPU may run any code of the list, so all must be for 9.0 or later.
constexpr bool runs_code_for_90(int architecture, std::initializer_list<int> built)
{
    bool is_listed = false;
    bool all = built.size() != 0;
    for (const int each : built) {
        is_listed = is_listed || each == 10 * architecture;
        all = all && each >= 900;
    }
    return architecture >= 90 && (is_listed || all);
}

}  // namespace parprims::detail::device
