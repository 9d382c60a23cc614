// Solutions reach the goals of their exercises. Kernels as a learner finds them compile and do not. Wrong answers are told what is wrong.
#include "exercises/support/judge.hpp"

#include "candidates.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace {

/// What is wrong with what was found out about a kernel; nothing if it is as it should be.
const char* fault_of(const candidate& one, const exercises::judgement& found)
{
    if (one.kind == "solution")
        return !found.is_right ? "is not right" : !found.meets_goals ? "does not reach the goals" : nullptr;
    if (found.is_right && found.meets_goals)
        return "passes";
    std::string message = found.message;
    std::replace(message.begin(), message.end(), '\n', ' ');
    if (message.find(one.says) == std::string::npos)
        return "gets another message";
    return nullptr;
}

}  // namespace

/// usage: exercises_test KIND [NAME] [--print]
int main(int argc, char** argv)
{
    unsigned count = 0, faults = 0;
    const bool prints = argc > 2 && std::strcmp(argv[argc - 1], "--print") == 0;
    for (const candidate& one : candidates) {
        if (argc > 1 && one.kind != argv[1])
            continue;
        if (argc > 2 && !(prints && argc == 3) && one.name != argv[2])
            continue;
        ++count;
        const exercises::judgement found = exercises::judge(one.exercise);
        const char* const fault = fault_of(one, found);
        if (fault != nullptr)
            ++faults;
        if (fault != nullptr || prints) {
            std::printf("%s %s: %s\n%s\n", one.kind.c_str(), one.name.c_str(), fault != nullptr ? fault : "as expected",
                        found.message.c_str());
            for (const double value : found.values)
                std::printf(" %g", value);
            std::printf("\n\n");
        }
    }
    std::printf("%u kernels, %u not as expected\n", count, faults);
    return faults == 0 && count != 0 ? 0 : 1;
}
