// What every bench says of itself and of its measurements: the command line, the table, and one format of JSON. Plain
// C++: the libraries that print and parse are not for nvcc.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// A part of a bench that can be asked for by name.
struct group_name {
    std::string name;
    std::string what;
};

struct options {
    std::string command;  // as it was called
    std::string json_file;
    std::vector<std::string> only;  // groups; empty: all
    unsigned log2 = 28;
    unsigned threads = 0;
    int repeats = 7;
    bool quick = false;

    bool wants(std::string_view group) const;
};

/// Reads the command line; prints help or a complaint and ends the program where there is one.
/// @param  defaults  what holds where nothing is said
options parse(const std::string& title, int count, char** arguments, options defaults = {},
              const std::vector<group_name>& groups = {});

/// Where it was measured, beside what.
struct machine {
    std::string card;    // empty: measured on the CPU
    std::string cuda;    // version of the runtime
    std::string beside;  // versions of the references
};

struct row {
    std::string work{};     // what is done: "reduce"
    std::string type{};     // of the elements: "f32"
    std::string variant{};  // what is special, or empty: "three phases"
    std::string how{};      // what is timed: "graph", "stream", "end to end"
    std::size_t n = 0;
    double bytes = 0;              // that have to be moved
    double seconds = 0;            // median
    std::string reference{};       // empty: none
    double reference_seconds = 0;  // median
    bool is_right = true;
    double floor = 0;          // of reference_seconds / seconds; 0: none
    std::size_t bins = 0;      // of a histogram
    std::string spread{};      // of its samples over the bins
    double operations = 0;     // on floating-point numbers; 0: not counted
    double scratch_bytes = 0;  // asked for at most; 0: none, or not measured
    double cpu_seconds = 0;    // of all threads together; 0: not measured
    double reference_cpu_seconds = 0;

    double ratio() const { return reference.empty() ? 0 : reference_seconds / seconds; }
    bool holds() const { return is_right && (floor == 0 || ratio() >= floor); }
    /// All but the size: rows of one series are one curve.
    std::string series() const;
};

class report {
public:
    report(std::string bench, options asked, machine where);

    /// Adds a row; when a series is complete, shows it on the standard error as progress, and writes the JSON with all rows so
    /// far, where a file is named: so a bench that is killed leaves what it has measured.
    void add(row next);

    /// Notes that something could not be measured: the bench as a whole fails.
    void fail(const std::string& why);

    /// Prints the table and writes the JSON. 0 if it is written, nothing failed, all is right and every floor holds.
    int finish();

private:
    void show_series();
    bool write(bool is_complete) const;

    std::string bench_;
    options asked_;
    machine where_;
    std::string driver_;  // empty without a GPU
    std::string date_;
    std::vector<row> rows_;
    std::string shown_json_;  // of the rows whose series have been shown, a line each
    std::vector<std::string> failures_;
    std::size_t shown_ = 0;  // rows whose series has been shown
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace bench
