// What the benches of whole calls share: the time by the clock of calls that take turns.
#pragma once

#include "device_support.cuh"

#include <chrono>

namespace bench {

template <class Call>
double wall_seconds(Call one)
{
    const auto start = std::chrono::steady_clock::now();
    one();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class Ours, class Other>
void take_turns(report& out, const options& asked, row next, const char* reference, Ours ours, Other other)
{
    ours();
    other();
    const int turns = asked.quick ? 11 : next.n > std::size_t{1} << 22 ? 31 : 201;
    std::vector<double> our_seconds, other_seconds;
    for (int i = 0; i < turns; ++i) {
        our_seconds.push_back(wall_seconds(ours));
        other_seconds.push_back(wall_seconds(other));
    }
    next.how = "end to end";
    next.reference = reference;
    next.seconds = median(std::move(our_seconds));
    next.reference_seconds = median(std::move(other_seconds));
    out.add(std::move(next));
}

inline std::vector<std::size_t> even_sizes(const options& asked)
{
    std::vector<std::size_t> result;
    for (unsigned k = 8; k <= std::min(asked.log2, 28u); k += 2)
        result.push_back(std::size_t{1} << k);
    return result;
}

}  // namespace bench
