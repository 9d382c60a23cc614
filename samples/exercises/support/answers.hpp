/// @file
/// @brief  Compares an answer with the right one, and says in a learner's words what is wrong with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace exercises {

/// The kernel kept all rules of a GPU, but what it computed is wrong.
struct wrong_answer : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The result of a typical mistake, and what to say of it.
template <class T>
struct known_mistake {
    std::vector<T> result;
    std::string cause;
};

/// What arrays hold before a kernel writes to them.
template <class T>
T not_written()
{
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memset(&value, 0xA5, sizeof value);
    return value;
}

template <class T>
std::string shown(T value)
{
    std::string text = std::to_string(value);
    if constexpr (std::is_floating_point_v<T>)
        text.erase(text.find_last_not_of('0') + 1 - (text[text.find_last_not_of('0')] == '.'));
    return text;
}

/// Which cause explains every element that is wrong; none if it has no name.
template <class T>
std::string cause_of(const std::vector<T>& result, const std::vector<T>& expected,
                     const std::vector<known_mistake<T>>& mistakes)
{
    for (const known_mistake<T>& each : mistakes)
        if (result == each.result)
            return each.cause;
    const std::size_t n = expected.size();
    const auto all = [&](auto holds) {
        for (std::size_t i = 0; i < n; ++i)
            if (result[i] != expected[i] && !holds(i))
                return false;
        return true;
    };
    if constexpr (std::is_integral_v<T>) {
        if (all([&](std::size_t i) {
                return result[i] == static_cast<T>(static_cast<std::uint64_t>(expected[i]) +
                                                   static_cast<std::uint64_t>(not_written<T>()));
            }))
            return "the values were added to what was there before; set the place first, or write the sum";
        for (const unsigned bits : {8u, 16u, 32u})
            if (bits < 8 * sizeof(T) && all([&](std::size_t i) {
                    return static_cast<std::uint64_t>(result[i]) ==
                           (static_cast<std::uint64_t>(expected[i]) & ((std::uint64_t{1} << bits) - 1));
                }))
                return "integer overflow: a number of " + std::to_string(bits) +
                       " bits cannot hold the sum, and begins again at 0";
    }
    if (n > 2) {
        const std::vector<T> later(expected.begin() + 1, expected.end());
        if (std::vector<T>(result.begin(), result.end() - 1) == later)
            return "off by one: each place has the value of the one after it";
        if (std::vector<T>(result.begin() + 1, result.end()) == std::vector<T>(expected.begin(), expected.end() - 1))
            return "off by one: each place has the value of the one before it";
    }
    if (n > 1 && all([&](std::size_t i) { return i + 1 == n; }))
        return "only the last one is wrong: is a bound one too small, or are the elements that fill no whole block "
               "left out?";
    return "";
}

/// @throws wrong_answer  if the two differ
template <class T>
void compare(const char* name, const std::vector<T>& result, const std::vector<T>& expected,
             const std::vector<known_mistake<T>>& mistakes)
{
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = expected.size(); i-- > 0;)
        if (result[i] != expected[i]) {
            first = i;
            ++wrong;
        }
    if (wrong == 0)
        return;
    const std::string place = std::string(name) + (expected.size() == 1 ? "[0]" : "[" + std::to_string(first) + "]");
    std::string text = result[first] == not_written<T>()
                           ? "no thread has written " + place + ", which should be " + shown(expected[first])
                           : place + " is " + shown(result[first]) + " and should be " + shown(expected[first]);
    if (expected.size() > 1)
        text += " (" + std::to_string(wrong) + " of " + std::to_string(expected.size()) + " are wrong, " + name + "[" +
                std::to_string(first) + "] is the first)";
    const std::string cause = cause_of(result, expected, mistakes);
    throw wrong_answer(text + (cause.empty() ? "" : ": " + cause));
}

}  // namespace exercises
