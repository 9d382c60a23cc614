/// @file
/// @brief  The rows of golden.txt, read and written. docs/order-contract.md, "The witnesses", defines them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace contract {

struct row {
    std::string call;
    std::string types;
    std::string op;
    std::string values;
    std::size_t n = 0;
    std::size_t offset = 0;
    std::uint64_t seed = 0;
    std::string segments;
    std::string init;
    std::string hash;

    bool has_init() const { return init != "-"; }
    /// The number after "runs:", "size:", "offsets:", "bins:", "columns:" or "rows:".
    std::size_t length() const { return std::stoull(segments.substr(segments.find(':') + 1)); }
    bool has_offsets() const { return segments.starts_with("offsets:"); }
    /// Along which dimension of a matrix: 0 of its columns, 1 of its rows; and how many of them there are.
    int dimension() const { return segments.starts_with("columns:") ? 0 : 1; }
    std::size_t lines() const { return dimension() == 0 ? length() : n / length(); }
    bool operator==(const row&) const = default;
};

/// One line of the file: a comment, an empty line, or a row.
struct line {
    std::string text;
    bool is_row = false;
    row content;
};

inline line parse(const std::string& text)
{
    line result{text, false, {}};
    if (text.empty() || text.front() == '#')
        return result;
    row& r = result.content;
    std::istringstream columns(text);
    std::string more;
    if (!(columns >> r.call >> r.types >> r.op >> r.values >> r.n >> r.offset >> r.seed >> r.segments >> r.init >>
          r.hash) ||
        columns >> more)
        throw std::runtime_error("not ten columns: " + text);
    result.is_row = true;
    return result;
}

inline std::vector<line> read_lines(const std::string& path)
{
    std::ifstream file(path);
    std::vector<line> lines;
    for (std::string text; std::getline(file, text);)
        lines.push_back(parse(text));
    if (lines.empty())
        throw std::runtime_error("cannot read " + path);
    return lines;
}

/// The columns without the hash, as they stand in the file.
inline std::string printed(const row& r)
{
    const auto padded = [](std::string text, std::size_t width) {
        text.resize(text.size() < width ? width : text.size(), ' ');
        return text + ' ';
    };
    return padded(r.call, 24) + padded(r.types, 7) + padded(r.op, 10) + padded(r.values, 8) +
           padded(std::to_string(r.n), 7) + padded(std::to_string(r.offset), 2) + padded(std::to_string(r.seed), 4) +
           padded(r.segments, 12) + padded(r.init, 2);
}

}  // namespace contract
