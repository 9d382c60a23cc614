/// @file
/// @brief  A table for the terminal whose rows are also the rows of the JSON.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace samples {

/// @brief  A cell: how it is printed, and its value in the JSON.
struct cell {
    std::string text;
    nlohmann::json value;
    bool is_word = false;  ///< aligned to the left
};

cell word(const std::string& text);
cell count_of(std::size_t count);
cell size_of(std::size_t n);  ///< printed as `2^20` where it is a power of two
cell seconds_of(double seconds);
cell number(double value, int digits);
cell times(double factor);  ///< printed as `2.18 x`
cell percent(double share);
cell verdict(bool is_right);
cell nothing();

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
