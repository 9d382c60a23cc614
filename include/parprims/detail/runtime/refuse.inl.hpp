/// @file
/// @brief  The texts of invalid_argument.
#pragma once

#include <parprims/detail/runtime/refuse.hpp>
#include <parprims/error.hpp>

#include <charconv>
#include <string>

namespace parprims::detail::runtime {

inline std::string text_of(const text_number& number)
{
    char text[64];
    const auto written = [&](auto value) {
        return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
    };
    switch (number.what) {
    case text_number::kind::of_signed: return written(number.signed_value);
    case text_number::kind::of_unsigned: return written(number.unsigned_value);
    case text_number::kind::of_float: return written(number.float_value);
    case text_number::kind::of_double: return written(number.double_value);
    case text_number::kind::nothing: break;
    }
    return "";
}

PARPRIMS_INLINE void refuse(const char* function, const char* argument, const char* reason, text_number first,
                            text_number second, text_number third)
{
    const text_number numbers[] = {first, second, third};
    const text_number* next = numbers;
    std::string text;
    for (; *reason != '\0'; ++reason)
        if (*reason == '%')
            text += text_of(*next++);
        else
            text += *reason;
    throw invalid_argument(function, argument, text);
}

PARPRIMS_INLINE void refuse_config(const char* function, const char* field, std::size_t value, const char* limit)
{
    throw invalid_argument(function, std::string("config.") + field, std::to_string(value) + " is not " + limit);
}

PARPRIMS_INLINE void throw_out_of_memory(std::size_t bytes, const char* where)
{
    throw out_of_memory(bytes, where);
}

PARPRIMS_INLINE void refuse_size(const char* function, std::uint64_t size, bool is_signed, std::size_t bound)
{
    const auto value = static_cast<std::int64_t>(size);
    if (is_signed && value < 0)
        refuse(function, "count", "the size % is negative; the bound is %", value, bound);
    refuse(function, "count", "the size % is above the bound, %", size, bound);
}

}  // namespace parprims::detail::runtime
