#include "statistics/csv.hpp"

#include "support/files.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace {

/// Takes a text apart, row by row.
class reader {
public:
    reader(std::string_view text, char separator) : text_(text), separator_(separator)
    {
        if (text_.starts_with("\xef\xbb\xbf"))
            text_.remove_prefix(3);
    }

    bool at_end() const { return text_.empty(); }
    /// In which line the last row began.
    std::size_t line() const { return row_; }

    std::vector<std::string> next_row()
    {
        std::vector<std::string> cells;
        row_ = line_;
        do
            cells.push_back(next_cell());
        while (take(separator_));
        if (!cells.back().empty() && cells.back().back() == '\r')
            cells.back().pop_back();
        if (take('\n'))
            ++line_;
        return cells;
    }

private:
    bool take(char c)
    {
        if (text_.empty() || text_.front() != c)
            return false;
        text_.remove_prefix(1);
        return true;
    }

    std::string next_cell()
    {
        std::string cell = take('"') ? rest_of_quoted() : "";
        const std::size_t end = std::min(text_.find_first_of(std::string{separator_, '\n'}), text_.size());
        cell += text_.substr(0, end);
        text_.remove_prefix(end);
        return cell;
    }

    /// What is between quotes; two of them are one that belongs to the cell.
    std::string rest_of_quoted()
    {
        std::string cell;
        while (true) {
            const std::size_t end = std::min(text_.find('"'), text_.size());
            cell += text_.substr(0, end);
            line_ += static_cast<std::size_t>(std::ranges::count(text_.substr(0, end), '\n'));
            text_.remove_prefix(end);
            if (!take('"'))
                throw std::runtime_error(fmt::format("line {}: a quote is not closed", row_));
            if (!take('"'))
                return cell;
            cell += '"';
        }
    }

    std::string_view text_;
    char separator_;
    std::size_t line_ = 1;
    std::size_t row_ = 1;
};

bool is_blank(std::string_view cell)
{
    return cell.find_first_not_of(" \t") == std::string_view::npos;
}

/// A cell as a message of one line shows it.
std::string shown(const std::string& cell)
{
    return samples::printable(cell, 40);
}

std::optional<double> to_number(std::string_view text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '+'))
        text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

/// The place of the column that `which` names in the first row. A number there is no name, but a value.
std::size_t find_column(const std::vector<std::string>& first, const std::string& which)
{
    const auto named =
        std::ranges::find_if(first, [&](const std::string& cell) { return cell == which && !to_number(cell); });
    if (named != first.end())
        return static_cast<std::size_t>(named - first.begin());
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(which.data(), which.data() + which.size(), number);
    if (error != std::errc{} || end != which.data() + which.size() || number == 0 || number > first.size())
        throw std::runtime_error(fmt::format("no column is called {}; there are {}", shown(which), first.size()));
    return number - 1;
}

csv_column read_column(reader rows, const std::string& which)
{
    csv_column column;
    if (rows.at_end())
        throw std::runtime_error("is empty");
    const auto first = rows.next_row();
    const std::size_t place = find_column(first, which);
    column.name = first[place];
    if (const auto value = to_number(first[place])) {  // no line of names
        column.name = fmt::format("column {}", place + 1);
        column.values.push_back(*value);
    } else if (is_blank(first[place]) &&
               std::ranges::any_of(first, [](const std::string& cell) { return to_number(cell).has_value(); })) {
        column.name = fmt::format("column {}", place + 1);
        ++column.empty;
    }
    while (!rows.at_end()) {
        const auto row = rows.next_row();
        if (row.size() == 1 && row[0].empty())
            continue;
        if (place >= row.size() || is_blank(row[place])) {
            ++column.empty;
            continue;
        }
        const auto value = to_number(row[place]);
        if (!value)
            throw std::runtime_error(fmt::format("line {}: '{}' is no number", rows.line(), shown(row[place])));
        column.values.push_back(*value);
    }
    if (column.values.empty())
        throw std::runtime_error(fmt::format("no number is in column {}", shown(which)));
    return column;
}

}  // namespace

csv_column read_csv_column(const std::filesystem::path& path, const std::string& which, char separator)
{
    const auto bytes = samples::read_file(path);
    try {
        return read_column(reader({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, separator), which);
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(fmt::format("{}: {}", path.string(), error.what()));
    }
}
