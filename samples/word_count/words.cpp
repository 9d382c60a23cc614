// Where words begin, by copy_if; their hashes, by transform; how often each occurs, by reduce_by_key. This source is the same for
// both backends: compiled as CUDA where a GPU may run it, as C++ elsewhere.
#include "word_count/words.hpp"

#include "support/memory.hpp"

#include <parprims/by_key.hpp>
#include <parprims/copy_if.hpp>
#include <parprims/iterator.hpp>
#include <parprims/transform.hpp>

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

namespace pp = parprims;

namespace {

struct begins_word {
    const std::uint8_t* text;

    PARPRIMS_HOST_DEVICE bool operator()(std::uint32_t i) const
    {
        return letter_of(text[i]) != 0 && (i == 0 || letter_of(text[i - 1]) == 0);
    }
};

/// FNV-1a of 64 bits. Of 10^6 different words, two have the same hash with a probability of 3 in 10^8.
struct hash_of_word {
    const std::uint8_t* text;
    std::size_t size;

    PARPRIMS_HOST_DEVICE std::uint64_t operator()(std::uint32_t begin) const
    {
        std::uint64_t hash = 0xcbf29ce484222325u;
        for (std::size_t i = begin; i < size && letter_of(text[i]) != 0; ++i)
            hash = (hash ^ letter_of(text[i])) * 0x100000001b3u;
        return hash;
    }
};

/// How often a word occurs, and where for the first time: two reductions in one.
using occurrences = pp::tuple<std::uint32_t, std::uint32_t>;
struct merge_occurrences {
    PARPRIMS_HOST_DEVICE occurrences operator()(const occurrences& a, const occurrences& b) const
    {
        return {pp::get<0>(a) + pp::get<0>(b), pp::minimum{}(pp::get<1>(a), pp::get<1>(b))};
    }
};

/// Both arrays in the order of the hashes. parprims has no sort: this is that of the standard library, on the host.
void sort_by_hash(std::vector<std::uint64_t>& hashes, std::vector<std::uint32_t>& begins)
{
    std::vector<std::pair<std::uint64_t, std::uint32_t>> pairs(hashes.size());
    for (std::size_t i = 0; i < pairs.size(); ++i)
        pairs[i] = {hashes[i], begins[i]};
    std::ranges::sort(pairs);
    for (std::size_t i = 0; i < pairs.size(); ++i)
        std::tie(hashes[i], begins[i]) = pairs[i];
}

template <class Policy>
word_counts count_with(const Policy& policy, std::span<const std::uint8_t> given)
{
    samples::stopwatch<Policy> watch(policy);
    word_counts found;
    const auto text = samples::bring(policy, given);
    const std::size_t n = given.size();

    auto places = samples::make_array<std::uint32_t>(policy, (n + 1) / 2);  // between two words is a byte
    const pp::counting_iterator<std::uint32_t> place(0);
    watch.time({"copy_if", "where words begin", n, n}, [&] {
        const auto end = pp::copy_if(policy, place, place + static_cast<std::ptrdiff_t>(n), places.begin(),
                                     begins_word{text.data()});
        found.words = static_cast<std::size_t>(end - places.begin());
    });
    const std::size_t words = found.words;
    samples::check_memory(words * 64);

    auto hashed = samples::make_array<std::uint64_t>(policy, words);
    watch.time({"transform", "their hashes", words, n + words * 12}, [&] {
        pp::transform(policy, places.begin(), places.begin() + static_cast<std::ptrdiff_t>(words), hashed.begin(),
                      hash_of_word{text.data(), n});
    });
    auto sorted_hashes = samples::fetch(hashed);
    auto sorted_places = samples::fetch(places);
    sort_by_hash(sorted_hashes, sorted_places);

    const auto keys = samples::bring(policy, std::span<const std::uint64_t>(sorted_hashes));
    const auto begins = samples::bring(policy, std::span<const std::uint32_t>(sorted_places).first(words));
    auto counts = samples::make_array<std::uint32_t>(policy, words);
    auto firsts = samples::make_array<std::uint32_t>(policy, words);
    std::size_t different = 0;
    watch.time({"reduce_by_key", "counts, first places", words, words * 12}, [&] {
        different = pp::reduce_by_key(policy, keys.data(), keys.data() + words,
                                      pp::zip_iterator(pp::constant_iterator<std::uint32_t>(1), begins.data()),
                                      pp::discard_iterator{}, pp::zip_iterator(counts.data(), firsts.data()),
                                      pp::equal_to{}, merge_occurrences{});
    });
    found.counts = samples::fetch(counts);
    found.firsts = samples::fetch(firsts);
    found.counts.resize(different);
    found.firsts.resize(different);
    found.timings = watch.take();
    return found;
}

}  // namespace

word_counts count_words(const std::vector<std::uint8_t>& text, const samples::place& where)
{
    return samples::with_policy(where, [&](const auto& policy) { return count_with(policy, std::span(text)); });
}
