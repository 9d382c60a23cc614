/// @file
/// @brief  What generate.py writes: kernels for the exercises, right ones and wrong ones.
#pragma once

#include "exercises/support/exercise.hpp"

#include <string>
#include <vector>

struct candidate {
    std::string kind;  // solution, blank (as a learner finds it), wrong
    std::string name;
    std::string says;  // of a wrong one: in the message
    exercises::exercise exercise;
};

extern const std::vector<candidate> candidates;
