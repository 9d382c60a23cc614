// How often does each word of a text occur?
//
// copy_if finds where words begin, transform makes a key of each (a hash of its letters), and of the sorted keys reduce_by_key
// makes counts: the pattern of a GROUP BY. On a GPU that is one graph: how many words there are is known there alone. You see the most
// frequent words, what all of it took, and that the counts are those of a std::map. The picture has the counts by rank beside those
// of Zipf's law, the first count divided by the rank.
//
//   word_count                       the guide of parprims, all pages of it
//   word_count FILE --json NUMBERS   samples/plot.py draws NUMBERS
#include "support/chart.hpp"
#include "support/files.hpp"
#include "support/report.hpp"
#include "support/text.hpp"
#include "word_count/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace {

using text = std::vector<std::uint8_t>;

std::string word_at(const text& all, std::size_t begin)
{
    std::string word;
    for (std::size_t i = begin; i < all.size() && letter_of(all[i]) != 0; ++i)
        word += static_cast<char>(letter_of(all[i]));
    return word;
}

/// Count and first place of each word, one word after another.
std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> count_plainly(const text& all)
{
    std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> words;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (const std::string word = word_at(all, i); !word.empty()) {
            ++words.try_emplace(word, 0, static_cast<std::uint32_t>(i)).first->second.first;
            i += word.size();
        }
    return words;
}

bool is_right(const text& all, const word_counts& found)
{
    const auto expected = count_plainly(all);
    bool same = expected.size() == found.counts.size();
    for (std::size_t i = 0; i < found.counts.size() && same; ++i) {
        const auto word = expected.find(word_at(all, found.firsts[i]));
        same = word != expected.end() && word->second == std::pair(found.counts[i], found.firsts[i]);
    }
    return same;
}

/// The words by count, and of those with the same count by place.
std::vector<std::size_t> ranked(const word_counts& found)
{
    std::vector<std::size_t> order(found.counts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        return found.counts[a] != found.counts[b] ? found.counts[a] > found.counts[b]
                                                  : found.firsts[a] < found.firsts[b];
    });
    return order;
}

int run(const std::string& path, const std::string& json, const samples::place& where)
{
    constexpr std::size_t shown = 16;
    const text all = samples::read_file(path);
    word_counts found = count_words(all, where);
    if (found.words == 0)
        throw std::runtime_error(fmt::format("{}: has no word", path));
    const bool right = is_right(all, found);
    for (samples::timing& step : found.timings)
        step.checked = right;
    fmt::print("word_count runs on the {}\n\n{}: {}, {} words, {} different ones\n\n", where.name,
               samples::printable(path), samples::format_bytes(all.size()), found.words, found.counts.size());

    const auto order = ranked(found);
    samples::table rows({{"rank", "rank"},
                         {"word", "word"},
                         {"count", "count"},
                         {"share", "share"},
                         {"first at byte", "first", false}});
    samples::line_chart chart{"How often words occur", "rank of the word", "count"};
    for (std::size_t rank = 1, next = 1; rank <= order.size(); ++rank) {
        const std::size_t i = order[rank - 1];
        const auto count = static_cast<double>(found.counts[i]);
        if (rank <= shown) {
            const std::string word = word_at(all, found.firsts[i]);
            rows.add({rank,
                      {samples::printable(word, 40), word},
                      found.counts[i],
                      samples::percent(count / static_cast<double>(found.words)),
                      found.firsts[i]});
        }
        if (rank >= next) {
            chart.add("words of the text", static_cast<double>(rank), count);
            chart.add("Zipf's law", static_cast<double>(rank), found.counts[order[0]] / static_cast<double>(rank));
            next = rank + rank / 8 + 1;
        }
    }
    rows.print();
    fmt::print("\n");
    samples::timings_table(found.timings).print();
    fmt::print("\n");
    return samples::finish("word_count", where, {{"the counts are those of a map", right}}, rows, chart.to_json(), json,
                           {{"file", path},
                            {"words", found.words},
                            {"different", found.counts.size()},
                            {"primitives", samples::timings_table(found.timings).to_json()}});
}

}  // namespace

int main(int argc, char** argv)
{
    CLI::App app("Counts how often each word of a text occurs.", "word_count");
    std::string file, json;
    samples::backend wish = samples::backend::automatic;
    samples::add_file_option(app, "FILE", file, "a text (default: the guide of parprims)")->type_name("");
    samples::add_backend_option(app, wish);
    samples::add_report_option(app, json);
    return samples::run_program(app, argc, argv, [&] {
        const samples::place where = samples::choose_place(wish);
        if (file.empty())
            file = (samples::own_executable().parent_path() / "guide.txt").string();
        samples::check_files({file}, {{"--json", json}});
        return run(file, json, where);
    });
}
