/// @file
/// @brief  Tries a kernel on the executor, and says what is wrong, or what it costs.
#pragma once

#include "exercises/support/exercise.hpp"
#include "support/requests.hpp"

#include <string>
#include <vector>

namespace exercises {

struct judgement {
    bool is_right = false;
    bool meets_goals = false;
    std::string message;         ///< what is wrong, in lines
    std::vector<double> values;  ///< of each goal
    samples::request_log requests;
};

judgement judge(const exercise& one);

/// Where the files of an exercise are.
struct files {
    std::string kernel;   ///< shown in messages
    std::string page;     ///< with the hints
    std::string picture;  ///< to be written
    unsigned hints = 0;   ///< how many to show
};

/// Prints what is wrong, or the counters beside the goal and the solution's. Returns 0 if all is reached.
int report(const exercise& yours, const exercise& solution, const files& where);

}  // namespace exercises
