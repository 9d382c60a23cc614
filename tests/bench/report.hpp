// The table of a bench: what it measured beside a reference, and whether the floors hold. Plain C++: the libraries that
// print and parse are not for nvcc.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

struct options {
    std::string json_file;
    unsigned log2 = 28;
};

/// Reads the command line; prints help or a complaint and ends the program where there is one.
options parse(const std::string& title, int count, char** arguments);

struct row {
    std::string work;
    std::size_t n;
    double bytes;              // that have to be moved
    double seconds;            // median
    double reference_seconds;  // median
    double floor;              // of reference_seconds / seconds; 0: none
    bool is_right;

    double ratio() const { return reference_seconds / seconds; }
    bool holds() const { return is_right && ratio() >= floor; }
};

class report {
public:
    /// Adds a row, and shows it as progress on the standard error.
    void add(row next);

    /// Prints the table and writes the JSON, where a file is named. 0 if all is right and every floor holds.
    int finish(const std::string& json_file, const std::string& machine, const std::string& reference) const;

private:
    std::vector<row> rows_;
};

}  // namespace bench
