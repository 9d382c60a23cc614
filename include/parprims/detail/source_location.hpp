/// @file
/// @brief  The file and line of a call. Replaces std::source_location, which clang 14 lacks with this standard library.
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
