/// @file
/// @brief  How headers throw invalid_argument and out_of_memory. The text is built out of line, so that a file with a call includes neither
///         <string> nor error.hpp: they cost nvcc a third of a second.
#pragma once

#include <parprims/config.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>

namespace parprims::detail::runtime {

/// A number in an error text. A floating-point number is printed as the shortest decimal that reads back as the same value.
class text_number {
public:
    enum class kind { nothing, of_signed, of_unsigned, of_float, of_double };

    constexpr text_number() noexcept : what(kind::nothing), unsigned_value(0) {}
    template <std::signed_integral T>
        requires(sizeof(T) <= sizeof(long long))
    constexpr text_number(T value) noexcept : what(kind::of_signed), signed_value(value)
    {
    }
    template <std::unsigned_integral T>
        requires(sizeof(T) <= sizeof(long long))
    constexpr text_number(T value) noexcept : what(kind::of_unsigned), unsigned_value(value)
    {
    }
    constexpr text_number(float value) noexcept : what(kind::of_float), float_value(value) {}
    constexpr text_number(double value) noexcept : what(kind::of_double), double_value(value) {}
    constexpr text_number(long double value) noexcept
        : text_number(nearest(value)) {}  // no member: g++ would note that 4.4 changed the ABI of such unions

    kind what;
    union {
        long long signed_value;
        unsigned long long unsigned_value;
        float float_value;
        double double_value;
    };

private:
    /// The double nearest to `value`; infinity where `value` is out of range.
    static constexpr double nearest(long double value) noexcept
    {
        using limits = std::numeric_limits<double>;
        return value > limits::max()      ? limits::infinity()
               : value < limits::lowest() ? -limits::infinity()
                                          : static_cast<double>(value);
    }
};

/// Throws invalid_argument. Each `%` in `reason` becomes the next number.
[[noreturn]] void refuse(const char* function, const char* argument, const char* reason, text_number first = {},
                         text_number second = {}, text_number third = {});

/// Throws invalid_argument for a field of a launch configuration: `value` is not `limit`.
[[noreturn]] void refuse_config(const char* function, const char* field, std::size_t value, const char* limit);

/// Throws out_of_memory.
[[noreturn]] void throw_out_of_memory(std::size_t bytes, const char* where);

/// Returns `make()`, which allocates `bytes` on the host; throws out_of_memory instead of std::bad_alloc.
template <class Make>
auto with_host_memory(std::size_t bytes, Make make)
{
    try {
        return make();
    } catch (const std::bad_alloc&) {
        throw_out_of_memory(bytes, "host memory");
    }
}

/// Throws invalid_argument for a size that was read where it lies, and is above its bound; negative, if it has a sign.
[[noreturn]] void refuse_size(const char* function, std::uint64_t size, bool is_signed, std::size_t bound);

}  // namespace parprims::detail::runtime

#if defined(PARPRIMS_HEADER_ONLY)
#include <parprims/detail/runtime/refuse.inl.hpp>
#endif
