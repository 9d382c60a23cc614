// Pictures of what warps ask of memory. Only the standard library, so that exercises are built in seconds.
#include "requests.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace samples {

namespace {

using parprims::executor::access;

constexpr unsigned lanes_of_warp = 32;
constexpr unsigned banks = 32;

bool takes_part(const seen_request& request, unsigned lane)
{
    return (request.lanes >> lane & 1) != 0;
}

/// The lanes that shared memory serves together: all, or halves or quarters where a lane takes 8 or 16 bytes.
unsigned lanes_together(const seen_request& request)
{
    return request.bytes <= 4 ? lanes_of_warp : lanes_of_warp * 4 / request.bytes;
}

/// By bank, the different words that lanes [first, last) ask for.
std::vector<std::set<std::uint64_t>> words_of_banks(const seen_request& request, unsigned first, unsigned last)
{
    std::vector<std::set<std::uint64_t>> words(banks);
    for (unsigned lane = first; lane < last; ++lane)
        if (takes_part(request, lane))
            for (std::uint64_t byte = 0; byte < request.bytes; byte += 4) {
                const std::uint64_t word = (request.addresses[lane] + byte) / 4;
                words[word % banks].insert(word);
            }
    return words;
}

unsigned passes_of(const seen_request& request)
{
    unsigned passes = 0;
    for (unsigned first = 0; first < lanes_of_warp; first += lanes_together(request)) {
        std::size_t most = 0;
        for (const auto& words : words_of_banks(request, first, first + lanes_together(request)))
            most = std::max(most, words.size());
        passes += static_cast<unsigned>(most);
    }
    return passes;
}

std::vector<std::uint64_t> sectors_of(const seen_request& request)
{
    std::set<std::uint64_t> sectors;
    for (unsigned lane = 0; lane < lanes_of_warp; ++lane)
        if (takes_part(request, lane))
            sectors.insert(request.addresses[lane] / 32);
    return {sectors.begin(), sectors.end()};
}

/// The most lanes at one address.
unsigned lanes_at_once(const seen_request& request)
{
    std::map<std::uint64_t, unsigned> lanes;
    unsigned most = 0;
    for (unsigned lane = 0; lane < lanes_of_warp; ++lane)
        if (takes_part(request, lane))
            most = std::max(most, ++lanes[request.addresses[lane]]);
    return most;
}

void find_cost(seen_request& request)
{
    const auto lanes = static_cast<unsigned>(std::popcount(request.lanes));
    if (request.what == access::atomic) {
        request.cost = lanes_at_once(request);
        request.least = 1;
    } else if (request.is_shared) {
        request.cost = passes_of(request);
        request.least = (lanes * request.bytes + 127) / 128;
    } else {
        request.cost = static_cast<unsigned>(sectors_of(request).size());
        request.least = (lanes * request.bytes + 31) / 32;
    }
}

std::string name_of(const seen_request& request)
{
    const char* const memory = request.is_shared ? "shared memory" : "global memory";
    if (request.what == access::atomic)
        return std::string("adds atomically in ") + memory;
    const bool writes = request.what == access::store || request.what == access::atomic_store;
    return (writes ? "writes " : "reads ") + std::string(memory);
}

std::string cost_of(const seen_request& request)
{
    const auto with_plural = [&](const char* one, const char* more) {
        return std::to_string(request.cost) + (request.cost == 1 ? one : more);
    };
    if (request.what == access::atomic)
        return with_plural(" lane at an address", " lanes at one address");
    return request.is_shared ? with_plural(" pass", " passes") : with_plural(" sector", " sectors");
}

/// The busiest bank, and the lanes that meet there with different words.
std::string busiest_bank(const seen_request& request)
{
    const auto words = words_of_banks(request, 0, lanes_together(request));
    const auto busiest =
        std::max_element(words.begin(), words.end(), [](auto& a, auto& b) { return a.size() < b.size(); });
    const auto bank = static_cast<unsigned>(busiest - words.begin());
    std::string text;
    unsigned count = 0;
    for (unsigned lane = 0; lane < lanes_together(request); ++lane)
        if (takes_part(request, lane) && request.addresses[lane] / 4 % banks == bank && ++count <= 4)
            text += (count == 1 ? "" : ", ") + std::to_string(lane);
    return "lanes " + text + (count > 4 ? ", ..." : "") + " meet in bank " + std::to_string(bank);
}

std::string number(double value)
{
    std::string text = std::to_string(value);
    text.erase(text.find('.') + 2);
    return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string text_at(double x, double y, const std::string& text, const char* more)
{
    return "<text x='" + number(x) + "' y='" + number(y) + "' " + more + ">" + text + "</text>\n";
}

/// Boxes and lines, all of one colour as one path: a picture has hundreds.
class shapes {
public:
    void box(double x, double y, double width, const char* colour)
    {
        boxes_[colour] += "M" + number(x) + " " + number(y) + "h" + number(width) + "v14h-" + number(width) + "z";
    }
    void line(double x1, double y1, double x2, double y2, const char* colour)
    {
        lines_[colour] += "M" + number(x1) + " " + number(y1) + "L" + number(x2) + " " + number(y2);
    }
    std::string to_svg() const
    {
        std::string svg;
        for (const auto& [colour, path] : lines_)
            svg += "<path stroke='" + colour + "' stroke-width='1.2' d='" + path + "'/>\n";
        for (const auto& [colour, path] : boxes_)
            svg += "<path fill='" + colour + "' d='" + path + "'/>\n";
        return svg;
    }

private:
    std::map<std::string, std::string> boxes_, lines_;
};

/// How many requests of lanes wait for each other at a bank: different words, of atomic operations all.
std::size_t crowd_of(const seen_request& request, const std::vector<std::set<std::uint64_t>>& words, unsigned bank)
{
    if (request.what != access::atomic)
        return words[bank].size();
    std::size_t lanes = 0;
    for (unsigned lane = 0; lane < lanes_of_warp; ++lane)
        lanes += takes_part(request, lane) && request.addresses[lane] / 4 % banks == bank;
    return lanes;
}

constexpr double cell = request_cell;  // from lane to lane, from bank to bank
constexpr double left = request_left;  // of the first
constexpr const char* good = "#7fc7a4";
constexpr const char* bad = "#e8836f";
constexpr const char* unused = "#e4e4e4";
constexpr const char* touched = "#8fb8de";

}  // namespace

void request_log::saw(const parprims::executor::request& what)
{
    if (what.what == access::branch)
        return;
    seen_request request{what.what,
                         what.is_shared,
                         what.bytes,
                         what.lanes & 0xffffffff,
                         {},
                         what.where.line,
                         what.where.file,
                         what.block,
                         what.warp,
                         0,
                         0};
    if (const std::size_t slash = request.file.rfind('/'); slash != std::string::npos)
        request.file.erase(0, slash + 1);
    std::copy_n(what.addresses, lanes_of_warp, request.addresses);
    find_cost(request);
    for (seen_request& worst : worst_)
        if (worst.line == request.line && worst.what == request.what && worst.is_shared == request.is_shared &&
            worst.file == request.file) {
            request.count = worst.count + 1;
            if (request.cost * std::max(worst.least, 1u) > worst.cost * std::max(request.least, 1u))
                worst = request;
            worst.count = request.count;
            return;
        }
    worst_.push_back(request);
}

std::string to_text(const seen_request& request)
{
    std::string text =
        "line " + std::to_string(request.line) + ": a warp " + name_of(request) + ": " + cost_of(request);
    if (request.is_shared && request.what != access::atomic && request.cost > request.least)
        text += "; " + busiest_bank(request);
    return text;
}

std::string row_of(const seen_request& request, const std::string& title)
{
    const bool is_bad = request.cost > request.least;
    std::string svg = text_at(8, 12,
                              (title.empty() ? "" : title + "; ") + "line " + std::to_string(request.line) +
                                  ": a warp " + name_of(request) + ", " + cost_of(request) +
                                  (is_bad ? "; at best " + std::to_string(request.least) : ""),
                              is_bad ? "font-weight='bold' fill='#b03a2e'" : "font-weight='bold'");
    constexpr double lanes_at = 24, places_at = 88;
    const std::string numbers = "<use href='#numbers' y='";
    const auto centre = [](double place) { return left + place * cell + (cell - 3) / 2; };
    shapes drawn;
    std::string labels = text_at(8, lanes_at + 10, "lanes", "font-size='10'") + numbers + number(lanes_at) + "'/>\n";
    for (unsigned lane = 0; lane < lanes_of_warp; ++lane)
        drawn.box(left + lane * cell, lanes_at, cell - 3, takes_part(request, lane) ? touched : unused);
    if (request.is_shared) {
        labels += text_at(8, places_at + 10, "banks", "font-size='10'") + numbers + number(places_at) + "'/>\n";
        const auto words = words_of_banks(request, 0, lanes_together(request));
        for (unsigned bank = 0; bank < banks; ++bank) {
            const std::size_t count = crowd_of(request, words, bank);
            drawn.box(left + bank * cell, places_at, cell - 3, count == 0 ? unused : count == 1 ? good : bad);
        }
        for (unsigned lane = 0; lane < lanes_together(request); ++lane)
            if (takes_part(request, lane)) {
                const auto bank = static_cast<unsigned>(request.addresses[lane] / 4 % banks);
                drawn.line(centre(lane), lanes_at + 14, centre(bank), places_at,
                           crowd_of(request, words, bank) > 1 ? "#c0392b" : "#4a8f6d");
            }
    } else {
        labels += text_at(8, places_at + 10, "sectors", "font-size='10'");
        const std::vector<std::uint64_t> sectors = sectors_of(request);
        const double width = 32 * cell / static_cast<double>(sectors.size());
        for (std::size_t s = 0; s < sectors.size(); ++s) {
            const double at = left + static_cast<double>(s) * width;
            drawn.box(at, places_at, width - 3, is_bad ? bad : good);
            labels +=
                text_at(at + (width - 3) / 2, places_at + 10.5,
                        sectors.size() > 16 ? std::to_string(s) : "+" + std::to_string((sectors[s] - sectors[0]) * 32),
                        "text-anchor='middle' font-size='9'");
        }
        for (unsigned lane = 0; lane < lanes_of_warp; ++lane)
            if (takes_part(request, lane)) {
                const auto at =
                    std::lower_bound(sectors.begin(), sectors.end(), request.addresses[lane] / 32) - sectors.begin();
                const double within = static_cast<double>(request.addresses[lane] % 32) / 32;
                drawn.line(centre(lane), lanes_at + 14, left + (static_cast<double>(at) + within) * width * 0.98 + 2,
                           places_at, is_bad ? "#c0392b" : "#4a8f6d");
            }
    }
    return svg + drawn.to_svg() + labels;
}

const seen_request& costliest(const std::vector<seen_request>& requests)
{
    const auto rank = [](const seen_request& each) {
        const double ratio = static_cast<double>(each.cost) / each.least;
        return std::tuple(ratio, each.what == access::atomic, each.is_shared && each.what == access::load, each.count);
    };
    return *std::max_element(requests.begin(), requests.end(), [&](auto& a, auto& b) { return rank(a) < rank(b); });
}

std::string to_svg(const std::string& title, const std::vector<seen_request>& requests)
{
    std::vector<std::string> rows;
    for (const seen_request& each : requests)
        rows.push_back(row_of(each));
    return svg_of_rows(title, rows);
}

}  // namespace samples
