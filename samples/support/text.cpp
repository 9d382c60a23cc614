#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace samples {

namespace {

/// The bytes of the character that a text begins with; 0 if that is none to show.
std::size_t length_of_first(std::string_view text)
{
    const auto lead = static_cast<unsigned char>(text.front());
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC0 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF8 ? 4
                                             : 0;
    if (length == 0 || length > text.size())
        return 0;
    char32_t code = length == 1 ? lead : lead & (0x7Fu >> length);
    for (const char c : text.substr(1, length - 1)) {
        if ((c & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (c & 0x3F);
    }
    static constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
    const bool is_control = code < 0x20 || (code >= 0x7F && code < 0xA0);
    const bool is_character =
        code >= least[length] && code <= 0x10FFFF && (code < 0xD800 || code >= 0xE000) && (code & 0xFFFE) != 0xFFFE;
    return is_character && !is_control ? length : 0;
}

}  // namespace

std::string printable(std::string_view text, std::size_t most)
{
    std::string result;
    for (std::size_t characters = 0; !text.empty(); ++characters) {
        if (characters == most)
            return result + "…";
        const std::size_t length = length_of_first(text);
        result += length == 0 ? "\uFFFD" : text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return result;
}

std::string bar(double share, std::size_t width)
{
    static constexpr std::array partial{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    auto eighths = static_cast<std::size_t>(std::lround(share * 8 * static_cast<double>(width)));
    if (share > 0)
        eighths = std::max<std::size_t>(eighths, 1);  // little is not nothing
    std::string text;
    for (std::size_t full = 0; full < eighths / 8; ++full)
        text += "█";
    text += partial[eighths % 8];
    text.append(width - std::min(width, (eighths + 7) / 8), ' ');
    return text;
}

std::string format_bytes(std::size_t bytes)
{
    if (bytes == 1)
        return "1 byte";
    if (bytes < 10000)
        return fmt::format("{} bytes", bytes);
    static constexpr std::array units{"kB", "MB", "GB", "TB"};
    double size = static_cast<double>(bytes) / 1000;
    std::size_t unit = 0;
    for (; size >= 999.95 && unit + 1 < units.size(); ++unit)
        size /= 1000;
    return fmt::format("{:.1f} {}", size, units[unit]);
}

std::string format_seconds(double seconds)
{
    if (seconds < 1e-6)
        return fmt::format("{:.0f} ns", seconds * 1e9);
    if (seconds < 1e-3)
        return fmt::format("{:.1f} µs", seconds * 1e6);
    if (seconds < 1)
        return fmt::format("{:.2f} ms", seconds * 1e3);
    return fmt::format("{:.2f} s", seconds);
}

}  // namespace samples
