/// @file
/// @brief  How headers refuse an argument: the text is made out of line, so that they read neither <string> nor error.hpp,
///         which cost a third of a second in every file with a call.
#pragma once

#include <parprims/config.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace parprims::detail::runtime {

/// A number in a reason; floating-point numbers are shown by the shortest decimal that reads back as them.
class shown {
public:
    enum class kind { nothing, of_signed, of_unsigned, of_float, of_double };

    constexpr shown() noexcept = default;
    template <std::integral T>
    constexpr shown(T value) noexcept : what(std::is_signed_v<T> ? kind::of_signed : kind::of_unsigned)
    {
        if constexpr (std::is_signed_v<T>)
            signed_value = value;
        else
            unsigned_value = value;
    }
    constexpr shown(float value) noexcept : what(kind::of_float), float_value(value) {}
    constexpr shown(double value) noexcept : what(kind::of_double), double_value(value) {}

    kind what = kind::nothing;
    long long signed_value = 0;
    unsigned long long unsigned_value = 0;
    float float_value = 0;
    double double_value = 0;
};

/// Throws invalid_argument. Each `%` in `reason` becomes the next number.
[[noreturn]] void refuse(const char* function, const char* argument, const char* reason, shown first = {},
                         shown second = {}, shown third = {});

/// Throws invalid_argument for a field of a launch configuration: `value` is not `limit`.
[[noreturn]] void refuse_config(const char* function, const char* field, std::size_t value, const char* limit);

}  // namespace parprims::detail::runtime

#if defined(PARPRIMS_HEADER_ONLY)
#include <parprims/detail/runtime/refuse.inl.hpp>
#endif
