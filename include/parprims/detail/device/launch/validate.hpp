/// @file
/// @brief  What a device call refuses before it enqueues anything.
#pragma once

#include <parprims/detail/block/input.hpp>
#include <parprims/detail/runtime/call.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// Values travel through registers, shuffles and scratch as bytes.
template <class T>
constexpr void check_value_type()
{
    static_assert(std::is_trivially_copyable_v<T>, "parprims: a value on the device must be trivially copyable");
    static_assert(sizeof(T) <= 1024, "parprims: a value on the device may have at most 1024 bytes");
    static_assert(alignof(T) <= 128, "parprims: a value on the device may be aligned to at most 128 bytes");
}

/// What an iterator points to, where that can be known.
template <class Iterator>
const void* address_of(const Iterator& it)
{
    static_assert(!std::is_pointer_v<Iterator> || !std::is_volatile_v<std::remove_pointer_t<Iterator>>,
                  "parprims: a call on the device takes no pointers to volatile values");
    if constexpr (std::is_pointer_v<Iterator>)
        return const_cast<const void*>(static_cast<const volatile void*>(it));
    else
        return nullptr;
}

/// Pointers are asked for; any other iterator is taken at its word.
template <class Iterator>
void check_input(const char* function, const char* argument, const Iterator& it, std::size_t n, int device)
{
    if constexpr (std::is_pointer_v<Iterator>)
        runtime::check_reachable(function, argument, address_of(it), n, device);
}

}  // namespace parprims::detail::device
