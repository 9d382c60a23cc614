// Tries a kernel, and says what is wrong with it.
#include "judge.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace exercises {

namespace {

double per(std::uint64_t count, std::uint64_t of)
{
    return of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of);
}

double value_of(metric what, const executor::statistics& did)
{
    switch (what) {
    case metric::load_sectors: return per(did.global_loads.sectors, did.global_loads.requests);
    case metric::store_sectors: return per(did.global_stores.sectors, did.global_stores.requests);
    case metric::loaded_bytes: return per(did.global_loads.bytes, did.blocks);
    case metric::bank_conflicts: return per(did.shared_loads.extra_passes + did.shared_stores.extra_passes, did.blocks);
    case metric::shared_requests: return per(did.shared_loads.requests + did.shared_stores.requests, did.blocks);
    case metric::barriers: return per(did.barriers, did.blocks);
    case metric::divergent_branches: return per(did.divergent_branches, did.blocks);
    case metric::active_lanes: return did.mean_active_lanes();
    case metric::global_atomics: return per(did.global_atomics.lanes, did.blocks);
    case metric::shared_passes: return per(did.shared_atomics.passes, did.shared_atomics.requests);
    }
    return 0;
}

const char* name_of(metric what)
{
    switch (what) {
    case metric::load_sectors: return "sectors a load of a warp";
    case metric::store_sectors: return "sectors a store of a warp";
    case metric::loaded_bytes: return "bytes that a block loads";
    case metric::bank_conflicts: return "bank conflicts a block";
    case metric::shared_requests: return "shared accesses a block";
    case metric::barriers: return "barriers a block";
    case metric::divergent_branches: return "divergent branches a block";
    case metric::active_lanes: return "lanes at work, of 32";
    case metric::global_atomics: return "global atomics a block";
    case metric::shared_passes: return "lanes at one address";
    }
    return "";
}

bool is_least(metric what)
{
    return what == metric::active_lanes;
}

bool meets(const goal& one, double value)
{
    return is_least(one.what) ? value >= one.bound : value <= one.bound;
}

/// What to do about a broken rule.
const char* advice(executor::fault kind, const std::string& text)
{
    const auto says = [&](const char* part) { return text.find(part) != std::string::npos; };
    switch (kind) {
    case executor::fault::race:
        if (says("different blocks"))
            return "Blocks run at the same time, in any order. If the two should have places of their own, look at how "
                   "the index is made. What "
                   "several of them change needs an atomic operation, and what one leaves for another must be written "
                   "before an atomic operation "
                   "that both do with acquire and release.";
        if (says("both lanes do so at once"))
            return "Two lanes write the same place in one step, and only one of the values stays. Give each lane a "
                   "place of its own; if they add "
                   "to one place, use an atomic operation.";
        if (says(" writes ") && says(" wrote it"))
            return "Two threads write one place. If each should have a place of its own, look at how the index is "
                   "made; if one value belongs there, let one thread write it. If one should write after the other, a "
                   "barrier is missing between them. If they add to the place, use an atomic operation.";
        return "A barrier is missing. A thread may read what another one wrote only after block.sync() (between lanes "
               "of one warp "
               "simt::sync_warp() does), and may write again what others read only after another one: also from one "
               "round of a loop to the "
               "next. If many threads add to one place, use an atomic operation.";
    case executor::fault::out_of_bounds:
        if (says(" of an array of "))
            return "Guard the access: for which thread, and in which round, does the index leave the array? A thread's "
                   "neighbour may not exist, and an unsigned index below 0 is a very large one.";
        return "Guard the access: if (i < n). The last block has threads without an element, and a thread's neighbour "
               "may not exist. An unsigned "
               "index below 0 is a very large one.";
    case executor::fault::not_written:
        return "The place was never set. Threads without an element must write the identity, and every place that is "
               "read must be filled first.";
    case executor::fault::divergence:
        return "All threads of a block must come to the same block.sync(), and all lanes of a mask to the same "
               "shuffle. Move it out of the if, "
               "give all threads the same number of rounds, and let no thread return before it.";
    case executor::fault::deadlock:
        return "Threads wait for something that never comes: some do not reach a barrier, a shuffle or a ballot that "
               "others are in, or a block "
               "waits for one that has not published.";
    case executor::fault::misaligned: return "An access of 8 or 16 bytes begins at a multiple of its size.";
    case executor::fault::other: break;
    }
    return "";
}

const char* name_of(executor::fault kind)
{
    switch (kind) {
    case executor::fault::race: return "race";
    case executor::fault::out_of_bounds: return "out of bounds";
    case executor::fault::not_written: return "not written";
    case executor::fault::divergence: return "divergence";
    case executor::fault::deadlock: return "deadlock";
    case executor::fault::misaligned: return "misaligned";
    case executor::fault::other: break;
    }
    return "not allowed on a GPU";
}

/// The text without a beginning that its title repeats.
std::string without(std::string text, const std::string& beginning)
{
    return text.starts_with(beginning) ? text.substr(beginning.size()) : text;
}

std::string message_of(const executor::error& error, std::size_t n)
{
    std::string text = error.what();
    std::string place;
    if (const std::size_t end = text.find(": ");
        end != std::string::npos && text.find(".hpp:") < end && text.find(' ') > end) {
        place = text.substr(0, end);
        text.erase(0, end + 2);
    }
    const std::string kind = name_of(error.kind);
    text = without(text, kind + ": ");
    while (text.ends_with('\n'))
        text.pop_back();
    return kind + (place.empty() ? "" : ", at " + place) + " (n = " + std::to_string(n) + ")\n" + text + "\n" +
           advice(error.kind, error.what());
}

std::string line_of(const std::string& path, unsigned number)
{
    std::ifstream file(path);
    std::string line;
    for (unsigned i = 0; i < number; ++i)
        if (!std::getline(file, line))
            return "";
    return line;
}

/// The text two places from the left; long lines are broken.
std::string indented(const std::string& text)
{
    constexpr std::size_t width = 118;
    std::string result = "  ", word;
    std::size_t column = 0;
    const auto put_word = [&] {
        if (column != 0 && column + word.size() > width) {
            result += "\n  ";
            column = 0;
        }
        result += word;
        column += word.size();
        word.clear();
    };
    for (const char c : text) {
        word += c == '\n' ? "" : std::string(1, c);
        if (c == ' ' || c == '\n')
            put_word();
        if (c == '\n') {
            result += "\n  ";
            column = 0;
        }
    }
    put_word();
    return result;
}

/// The lines of the kernel that a message names.
std::string quoted_lines(const std::string& message, const std::string& kernel)
{
    std::string text;
    std::vector<unsigned> seen;
    const std::string mark = kernel.substr(kernel.rfind('/') + 1) + ":";
    for (std::size_t at = message.find(mark); at != std::string::npos; at = message.find(mark, at + 1)) {
        const auto number = static_cast<unsigned>(std::strtoul(message.c_str() + at + mark.size(), nullptr, 10));
        if (std::find(seen.begin(), seen.end(), number) != seen.end())
            continue;
        seen.push_back(number);
        char start[16];
        std::snprintf(start, sizeof start, "%6u | ", number);
        text += start + line_of(kernel, number) + "\n";
    }
    return text;
}

/// The hints of a page: the numbered lines after its heading.
std::vector<std::string> hints_of(const std::string& page)
{
    std::ifstream file(page);
    std::vector<std::string> hints;
    bool is_in = false;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("## "))
            is_in = line == "## Hints";
        else if (is_in && line.size() > 2 && line[0] >= '1' && line[0] <= '9' && line[1] == '.')
            hints.push_back(line.substr(3));
        else if (is_in && line.starts_with("   ") && !hints.empty())
            hints.back() += "\n" + line;
    }
    return hints;
}

void print_hints(const files& where)
{
    const std::vector<std::string> hints = hints_of(where.page);
    for (std::size_t i = 0; i < hints.size() && i < where.hints; ++i)
        std::printf("\n  Hint %zu of %zu: %s\n", i + 1, hints.size(), hints[i].c_str());
    if (where.hints < hints.size())
        std::printf("\n  %s hint: add --hint\n", where.hints == 0 ? "A" : "The next");
}

std::string shown_value(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, value == static_cast<double>(static_cast<long long>(value)) ? "%.0f" : "%.1f",
                  value);
    return text;
}

}  // namespace

judgement judge(const exercise& one)
{
    judgement found;
    std::size_t running = 0;
    try {
        for (const std::size_t n : one.sizes)
            for (std::uint64_t seed = 0; seed < 3; ++seed) {
                running = n;
                executor::options how;
                how.find_races = true;
                how.seed = seed;
                if (seed == 0) {  // first in order: messages name the first threads
                    how.order = executor::schedule::in_order;
                    how.blocks = executor::block_order::ascending;
                }
                trial with(how);
                one.run(with, n);
            }
        executor::options how;
        how.count = true;
        how.order = executor::schedule::in_order;
        how.blocks = executor::block_order::ascending;
        how.requests = &found.requests;
        trial with(how);
        one.run(with, one.sizes.back());
        found.is_right = true;
        found.meets_goals = true;
        for (const goal& each : one.goals) {
            found.values.push_back(value_of(each.what, with.did()));
            if (!meets(each, found.values.back())) {
                found.meets_goals = false;
                found.message += std::string(found.message.empty() ? "" : "\n") +
                                 "goal not reached: " + name_of(each.what) + ": " + shown_value(found.values.back()) +
                                 ", " + (is_least(each.what) ? "at least " : "at most ") + shown_value(each.bound);
            }
        }
    } catch (const executor::error& error) {
        found.message = message_of(error, running);
    } catch (const wrong_answer& error) {
        found.message = "wrong answer (n = " + std::to_string(running) + ")\n" + error.what();
    }
    return found;
}

int report(const exercise& yours, const exercise& solution, const files& where)
{
    std::printf("\n  Exercise %s: %s\n  %s\n\n", yours.name, yours.title, where.kernel.c_str());
    const judgement mine = judge(yours);
    if (!mine.is_right) {
        std::printf("%s\n", indented(mine.message).c_str());
        const std::string lines = quoted_lines(mine.message, where.kernel);
        if (!lines.empty())
            std::printf("\n%s", lines.c_str());
        print_hints(where);
        return 1;
    }
    const judgement best = judge(solution);
    std::printf("  The answer is right.\n\n  %-30s %12s %14s %12s\n", "", "yours", "goal", "solution");
    for (std::size_t i = 0; i < yours.goals.size(); ++i) {
        const goal& each = yours.goals[i];
        const std::string bound = (is_least(each.what) ? "at least " : "at most ") + shown_value(each.bound);
        std::printf("  %-30s %12s %14s %12s   %s\n", name_of(each.what), shown_value(mine.values[i]).c_str(),
                    bound.c_str(), shown_value(best.values[i]).c_str(), meets(each, mine.values[i]) ? "ok" : "not yet");
    }
    std::printf("\n");
    for (const samples::seen_request& each : mine.requests.worst_of_lines())
        if (each.cost > each.least)
            std::printf("  %s\n", samples::to_text(each).c_str());
    std::ofstream(where.picture) << samples::to_svg(
        std::string(yours.name) + ", n = " + std::to_string(yours.sizes.back()), mine.requests.worst_of_lines());
    std::printf("  Each line's costliest request, as a picture: %s\n", where.picture.c_str());
    if (mine.meets_goals)
        std::printf("\n  All goals are reached.\n");
    else
        print_hints(where);
    return mine.meets_goals ? 0 : 1;
}

}  // namespace exercises
