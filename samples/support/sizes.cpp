#include "support/sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <stdexcept>
#include <string_view>

namespace samples {

namespace {

std::size_t parse_number(std::string_view text)
{
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        throw std::invalid_argument(fmt::format("'{}' is no size: write 1000, 2^20 or 2^8..2^31", text));
    return value;
}

std::size_t parse_size(std::string_view text)
{
    std::size_t value = 0;
    if (text.starts_with("2^")) {
        const std::size_t exponent = parse_number(text.substr(2));
        if (exponent > 40)
            throw std::invalid_argument(fmt::format("2^{} is too large: at most 2^40", exponent));
        value = std::size_t{1} << exponent;
    } else {
        value = parse_number(text);
    }
    if (value == 0 || value > std::size_t{1} << 40)
        throw std::invalid_argument(fmt::format("{} is no size from 1 to 2^40", value));
    return value;
}

}  // namespace

std::vector<std::size_t> parse_sizes(const std::string& text)
{
    std::vector<std::size_t> sizes;
    std::string_view rest = text;
    while (true) {
        const auto comma = rest.find(',');
        const std::string_view part = rest.substr(0, comma);
        const auto dots = part.find("..");
        const std::size_t first = parse_size(part.substr(0, dots));
        sizes.push_back(first);
        if (dots != std::string_view::npos) {
            const std::size_t last = parse_size(part.substr(dots + 2));
            if (last < first)
                throw std::invalid_argument(fmt::format("'{}' goes down", part));
            for (std::size_t n = std::bit_floor(first) * 2; n <= last; n *= 2)
                sizes.push_back(n);
            if (sizes.back() != last)
                sizes.push_back(last);
        }
        if (comma == std::string_view::npos)
            break;
        rest.remove_prefix(comma + 1);
    }
    for (auto size = sizes.begin(); size != sizes.end(); ++size)
        if (std::find(sizes.begin(), size, *size) != size)
            throw std::invalid_argument(fmt::format("{} is there twice", format_size(*size)));
    return sizes;
}

std::string format_size(std::size_t n)
{
    const int exponent = std::countr_zero(n);
    const std::size_t factor = n == 0 ? 0 : n >> exponent;
    if (exponent < 10 || factor > 9)
        return fmt::format("{}", n);
    return factor == 1 ? fmt::format("2^{}", exponent) : fmt::format("{}*2^{}", factor, exponent);
}

}  // namespace samples
