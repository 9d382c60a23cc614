/// @file
/// @brief  A call of an algorithm, tried with every fault wherever it can run.
#pragma once

#include "loop.hpp"
#include "raw.hpp"

#include <parprims/execution.hpp>

#include <cstddef>
#include <string>

inline constexpr std::size_t few = 100;
inline constexpr std::size_t many = 50'000;  // more than one block, tile and subtree
/// Tiles of an iterator, whose words are scratch. No kernel runs, so nothing is written.
inline constexpr std::size_t much = 2'100'000;

/// Tries `call(policy, input, n, output)` wherever it can run. `outputs`: how many T it may write.
template <class Out, class In, class Call, class Policy = parprims::device_policy>
void check_everywhere(const std::string& function, std::size_t n, std::size_t outputs, bool waits, Call call,
                      const Policy& policy = parprims::device)
{
    const auto at = [&](const std::string& where, int device, auto enter) {
        check_every_fault({function + " of " + std::to_string(n) + where, [=] {
                               const auto x = raw_memory<In>(n, device);
                               const auto out = raw_memory<Out>(outputs, device);
                               return prepared{[=] { enter([&](auto there) { call(there, x.get(), n, out.get()); }); },
                                               [=] { return is_poisoned(out, outputs); }};
                           }});
    };
    at("", 0, [=](auto run) { run(policy); });
    at(" on another GPU", 1, [=](auto run) { run(policy); });
    const auto in_stream = [=](const std::string& where, bool captured) {
        check_every_fault({function + " of " + std::to_string(n) + where, [=] {
                               const auto x = raw_memory<In>(n);
                               const auto out = raw_memory<Out>(outputs);
                               const auto work = raw_stream();
                               const auto run = [=] { call(policy.on(work.get()), x.get(), n, out.get()); };
                               const auto captured_run = [=] {
                                   const capture_of capture(work.get());
                                   run();
                               };
                               prepared ready{run, [=] { return is_poisoned(out, outputs); }};
                               if (captured)
                                   ready.call = captured_run;
                               return ready;
                           }});
    };
    in_stream(" in a stream", false);
    if (!waits)
        in_stream(" in a captured stream", true);
}
