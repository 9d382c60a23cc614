#include "support/table.hpp"

#include "support/sizes.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace samples {

namespace {

/// Characters on the screen, of UTF-8.
std::size_t width_of(const std::string& text)
{
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

cell size_of(std::size_t n)
{
    return {format_size(n), n};
}

cell seconds_of(double seconds)
{
    return {format_seconds(seconds), seconds};
}

cell percent(double share)
{
    return {fmt::format("{:.1f} %", 100 * share), share};
}

void table::print() const
{
    std::vector<std::size_t> widths;
    for (const column& each : columns_)
        widths.push_back(width_of(each.heading));
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], width_of(row[i].text));
    const auto is_empty = [&](std::size_t i) {
        return columns_[i].may_hide &&
               std::ranges::all_of(rows_, [&](const auto& row) { return row[i].text == "0" || row[i].text == "-"; });
    };
    const auto print_cell = [&](std::size_t i, const std::string& text, bool left) {
        if (is_empty(i))
            return;
        const std::string space(widths[i] - width_of(text), ' ');
        fmt::print("  {}", left ? text + space : space + text);
    };
    for (std::size_t i = 0; i < columns_.size(); ++i)
        print_cell(i, columns_[i].heading, !rows_.empty() && rows_.front()[i].is_word());
    fmt::print("\n");
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < row.size(); ++i)
            print_cell(i, row[i].text, row[i].is_word());
        fmt::print("\n");
    }
}

nlohmann::json table::to_json() const
{
    auto list = nlohmann::json::array();
    for (const auto& row : rows_) {
        auto object = nlohmann::json::object();
        for (std::size_t i = 0; i < row.size(); ++i)
            object[columns_[i].key] = row[i].value;
        list.push_back(object);
    }
    return list;
}

}  // namespace samples
