/// @file
/// @brief  A table for the terminal whose rows are also the rows of the JSON.
#pragma once

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace samples {

/// @brief  A cell: how it is printed, and its value in the JSON. Words and verdicts are aligned to the left.
struct cell {
    std::string text;
    nlohmann::json value;

    cell(const char* word) : text(word), value(word) {}
    cell(const std::string& word) : text(word), value(word) {}
    cell(bool is_right) : text(is_right ? "ok" : "WRONG"), value(is_right) {}
    template <class Number>
        requires std::is_arithmetic_v<Number>
    cell(Number number, const char* format = "{}") : text(fmt::format(fmt::runtime(format), number)), value(number)
    {
    }
    cell(std::string shown, nlohmann::json of_json) : text(std::move(shown)), value(std::move(of_json)) {}

    bool is_word() const { return value.is_string() || value.is_boolean(); }
};

inline const cell nothing{"-", nullptr};
cell size_of(std::size_t n);  ///< printed as `2^20` where it is a power of two
cell seconds_of(double seconds);
cell percent(double share);

class table {
public:
    struct column {
        std::string heading;
        std::string key;       ///< in the JSON
        bool may_hide = true;  ///< where it holds nothing but zeros
    };

    explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}

    void add(std::vector<cell> row) { rows_.push_back(std::move(row)); }
    /// Without columns that hold nothing but zeros, where they may hide.
    void print() const;
    nlohmann::json to_json() const;

private:
    std::vector<column> columns_;
    std::vector<std::vector<cell>> rows_;
};

}  // namespace samples
