/// @file
/// @brief  How long a primitive takes, from the call until its result is there.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace samples {

/// @brief  A primitive at work: one line of the table of times.
struct work {
    std::string primitive;
    std::string gives;  ///< in a word or two
    std::size_t elements = 0;
    std::size_t bytes = 0;  ///< read and written
};

struct timing : work {
    double seconds = 0;
    bool checked = false;  ///< the result is that of a plain loop
};

/// @brief  Times calls that run under one policy.
template <class Policy>
class stopwatch {
public:
    explicit stopwatch(const Policy& policy) : policy_(policy) {}

    /// @brief  Calls once to warm up, then five times or for 0.2 s, and keeps the shortest time.
    template <class Call>
    void time(work what, Call call)
    {
        once(call);
        double best = std::numeric_limits<double>::max(), spent = 0;
        for (int run = 0; run < 5 && spent < 0.2; ++run) {
            const double seconds = once(call);
            best = std::min(best, seconds);
            spent += seconds;
        }
        timings_.push_back({std::move(what), best});
    }

    /// @brief  Says whether what was timed last has the right result.
    void check(bool is_right) { timings_.back().checked = is_right; }

    std::vector<timing> take() { return std::move(timings_); }

private:
    template <class Call>
    double once(Call& call)
    {
        using clock = std::chrono::steady_clock;
        const auto start = clock::now();
        call();
        if constexpr (requires { policy_.stream(); })  // on a GPU
            policy_.stream().synchronize();
        return std::chrono::duration<double>(clock::now() - start).count();
    }

    Policy policy_;
    std::vector<timing> timings_;
};

}  // namespace samples
