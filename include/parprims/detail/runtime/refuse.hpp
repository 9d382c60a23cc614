/// @file
/// @brief  How headers refuse an argument: the text is made out of line, so that they read neither <string> nor error.hpp,
///         which cost a third of a second in every file with a call.
#pragma once

#include <parprims/config.hpp>

#include <concepts>
#include <cstddef>
#include <limits>

namespace parprims::detail::runtime {

/// A number in a reason; floating-point numbers are shown by the shortest decimal that reads back as them.
class shown {
public:
    enum class kind { nothing, of_signed, of_unsigned, of_float, of_double };

    constexpr shown() noexcept : what(kind::nothing), unsigned_value(0) {}
    template <std::signed_integral T>
    constexpr shown(T value) noexcept : what(kind::of_signed), signed_value(value)
    {
    }
    template <std::unsigned_integral T>
    constexpr shown(T value) noexcept : what(kind::of_unsigned), unsigned_value(value)
    {
    }
    constexpr shown(float value) noexcept : what(kind::of_float), float_value(value) {}
    constexpr shown(double value) noexcept : what(kind::of_double), double_value(value) {}
    constexpr shown(long double value) noexcept : shown(near(value)) {}  // a union with one changed its ABI in g++ 4.4

    kind what;
    union {
        long long signed_value;
        unsigned long long unsigned_value;
        float float_value;
        double double_value;
    };

private:
    /// The double next to `value`: infinity where that is beyond all of them.
    static constexpr double near(long double value) noexcept
    {
        using limits = std::numeric_limits<double>;
        return value > limits::max()      ? limits::infinity()
               : value < limits::lowest() ? -limits::infinity()
                                          : static_cast<double>(value);
    }
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
