/// @file
/// @brief  Where a call stands in the source. std::source_location is not to be had from every compiler with this
///         standard library (clang 14).
#pragma once

namespace parprims::detail {

class source_location {
public:
    static constexpr source_location current(const char* file = __builtin_FILE(),
                                             unsigned line = __builtin_LINE()) noexcept
    {
        return source_location(file, line);
    }
    constexpr const char* file_name() const noexcept { return file_; }
    constexpr unsigned line() const noexcept { return line_; }

private:
    constexpr source_location(const char* file, unsigned line) noexcept : file_(file), line_(line) {}

    const char* file_;
    unsigned line_;
};

}  // namespace parprims::detail
