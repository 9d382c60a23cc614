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
#include <utility>

namespace {

constexpr std::size_t most_cells = 1'000'000;  // of a line: each is a string

/// A cell as a message of one line shows it.
std::string shown(std::string_view cell)
{
    return samples::printable(cell, 40);
}

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
        do {
            if (cells.size() == most_cells)
                throw std::runtime_error(fmt::format("line {}: has more than {} cells", row_, most_cells));
            cells.push_back(next_cell());
        } while (take(separator_));
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
        const bool is_quoted = take('"');
        std::string cell = is_quoted ? rest_of_quoted() : "";
        const std::size_t end = std::min(text_.find_first_of(std::string{separator_, '\n'}), text_.size());
        std::string_view rest = text_.substr(0, end);
        text_.remove_prefix(end);
        if (rest.ends_with('\r') && !text_.starts_with(separator_))
            rest.remove_suffix(1);
        if (is_quoted && rest.find_first_not_of(" \t") != std::string_view::npos)
            throw std::runtime_error(fmt::format("line {}: '{}' follows the quotes of a cell", row_, shown(rest)));
        return is_quoted ? cell : std::string(rest);
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

/// What a cell holds.
struct content {
    enum class kind {
        blank,
        text,
        number,
        out_of_range,  ///< a number larger or smaller than a double can be
        other_number   ///< no name either, but nothing to count: nan, inf, 0x10
    };
    kind what = kind::text;
    double value = 0;

    bool is_text() const { return what == kind::text; }
    bool is_number() const { return what != kind::text && what != kind::blank; }
};

bool is_hexadecimal(std::string_view text)
{
    if (text.starts_with('-'))
        text.remove_prefix(1);
    if (!text.starts_with("0x") && !text.starts_with("0X"))
        return false;
    text.remove_prefix(2);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::hex);
    return error != std::errc::invalid_argument && end == text.data() + text.size();
}

content content_of(std::string_view cell)
{
    using kind = content::kind;
    if (cell.find_first_not_of(" \t") == std::string_view::npos)
        return {kind::blank};
    while (cell.starts_with(' ') || cell.starts_with('+'))
        cell.remove_prefix(1);
    while (cell.ends_with(' '))
        cell.remove_suffix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error == std::errc::invalid_argument || end != cell.data() + cell.size())
        return {is_hexadecimal(cell) ? kind::other_number : kind::text};
    if (error != std::errc{})
        return {kind::out_of_range};
    return {std::isfinite(value) ? kind::number : kind::other_number, value};
}

/// Appends a cell of line `line` to the column.
void add(csv_column& column, const std::string& cell, std::size_t line)
{
    const content found = content_of(cell);
    if (found.what == content::kind::blank)
        ++column.empty;
    else if (found.what == content::kind::number)
        column.values.push_back(found.value);
    else
        throw std::runtime_error(
            fmt::format("line {}: '{}' is {}", line, shown(cell),
                        found.what == content::kind::out_of_range ? "out of the range of a double" : "no number"));
}

bool is_empty_line(const std::vector<std::string>& row)
{
    return row.size() == 1 && row[0].empty();
}

/// Whether a text of the first row stands above a number.
bool stands_above_numbers(const std::vector<std::string>& first, reader rows)
{
    std::vector<std::string> second;
    while (!rows.at_end() && (second.empty() || is_empty_line(second)))
        second = rows.next_row();
    for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i)
        if (content_of(first[i]).is_text() && content_of(second[i]).what == content::kind::number)
            return true;
    return false;
}

/// The place that `which` numbers, from 1 to the number of columns.
std::optional<std::size_t> numbered_place(std::size_t columns, const std::string& which)
{
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(which.data(), which.data() + which.size(), number);
    if (error != std::errc{} || end != which.data() + which.size() || number == 0 || number > columns)
        return std::nullopt;
    return number - 1;
}

/// The place of the column, and whether the first row is names. A number of a column is never taken for its name.
std::pair<std::size_t, bool> find_column(const std::vector<std::string>& first, const reader& rows,
                                         const std::string& which, header first_line)
{
    const bool may_be_names = first_line == header::automatic;
    const bool is_names = first_line == header::yes || (may_be_names && stands_above_numbers(first, rows));
    const bool has_numbers =
        std::ranges::any_of(first, [](const std::string& cell) { return content_of(cell).is_number(); });
    if (const auto place = numbered_place(first.size(), which))
        return {*place, is_names || (may_be_names && (content_of(first[*place]).is_text() || !has_numbers))};
    const auto named = std::ranges::find_if(first, [&](const std::string& cell) {
        return cell == which && (is_names || (may_be_names && content_of(cell).is_text()));
    });
    if (named != first.end())
        return {static_cast<std::size_t>(named - first.begin()), true};
    throw std::runtime_error(fmt::format(
        "no column is called {}; there are {}{}", shown(which), first.size(),
        is_names || (may_be_names && !has_numbers) ? "" : ", and the first line is no names (see --header)"));
}

csv_column read_column(reader rows, const std::string& which, header first_line)
{
    csv_column column;
    if (rows.at_end())
        throw std::runtime_error("is empty");
    const auto first = rows.next_row();
    const auto [place, has_names] = find_column(first, rows, which, first_line);
    column.has_names = has_names;
    const bool is_named = has_names && content_of(first[place]).what != content::kind::blank;
    column.name = is_named ? first[place] : fmt::format("column {}", place + 1);
    if (!has_names)
        add(column, first[place], rows.line());
    while (!rows.at_end()) {
        const auto row = rows.next_row();
        if (!is_empty_line(row))
            add(column, place < row.size() ? row[place] : "", rows.line());
    }
    if (column.values.empty())
        throw std::runtime_error(fmt::format("no number is in column {}", shown(which)));
    return column;
}

}  // namespace

csv_column read_csv_column(const std::filesystem::path& path, const std::string& which, char separator,
                           header first_line)
{
    const auto bytes = samples::read_file(path);
    try {
        return read_column(reader({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, separator), which,
                           first_line);
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(fmt::format("{}: {}", path.string(), error.what()));
    }
}
