// Where words begin, by copy_if; their hashes, by transform; a sort of these; how often each occurs, by reduce_by_key. No call waits: each
// finds in memory how many words the one before has left, so on a GPU all of them are one graph. This source is the same for both
// backends: compiled as CUDA where a GPU may run it, as C++ elsewhere.
#include "word_count/words.hpp"

#include "support/memory.hpp"
#include "word_count/sort.hpp"

#include <parprims/by_key.hpp>
#include <parprims/copy_if.hpp>
#include <parprims/iterator.hpp>
#include <parprims/sized_on_device.hpp>
#include <parprims/stream.hpp>
#include <parprims/transform.hpp>

#include <span>
#include <stdexcept>

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

/// What `calls` does, when it is launched: on a GPU as a graph.
template <class Calls>
auto launch_of(const pp::host_policy&, Calls calls)
{
    return calls;
}

#if PARPRIMS_CUDA_COMPILER

class graph {
public:
    template <class Calls>
    graph(pp::stream_view stream, Calls calls) : stream_(stream)
    {
        cudaGraph_t captured = nullptr;
        check(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeGlobal));
        calls();
        check(cudaStreamEndCapture(stream_.get(), &captured));
        check(cudaGraphInstantiate(&runnable_, captured, 0));
        cudaGraphDestroy(captured);
    }
    ~graph() { cudaGraphExecDestroy(runnable_); }
    graph(const graph&) = delete;
    graph& operator=(const graph&) = delete;

    void operator()() const { check(cudaGraphLaunch(runnable_, stream_.get())); }

private:
    static void check(cudaError_t status)
    {
        if (status != cudaSuccess)
            throw std::runtime_error(cudaGetErrorString(status));
    }

    pp::stream_view stream_;
    cudaGraphExec_t runnable_ = nullptr;
};

template <class Calls>
graph launch_of(const pp::device_policy& on, Calls calls)
{
    return {on.stream(), calls};
}

#endif

template <class Policy>
word_counts count_with(const Policy& policy, std::span<const std::uint8_t> given)
{
    const std::size_t n = given.size();
    const std::size_t bound = (n + 1) / 2;  // of words: between two of them is a byte
    samples::check_memory(bound * 64);
    const auto text = samples::bring(policy, given);
    pair_sort<Policy> sort(policy, bound);  // places of words by their hashes
    auto counts = samples::make_array<std::uint32_t>(policy, bound);
    auto firsts = samples::make_array<std::uint32_t>(policy, bound);
    auto words = samples::make_array<std::uint32_t>(policy, 1);
    auto different = samples::make_array<std::uint32_t>(policy, 1);

    const auto launch = launch_of(policy, [&] {
        const pp::counting_iterator<std::uint32_t> place(0);
        pp::copy_if_into(policy, place, place + static_cast<std::ptrdiff_t>(n), sort.values(), words.data(),
                         begins_word{text.data()});
        sort.pad();
        pp::transform(policy, pp::sized_on_device(sort.values(), words.data(), bound), sort.keys(),
                      hash_of_word{text.data(), n});
        sort(words.data());
        const auto keys = pp::sized_on_device(sort.sorted_keys(), words.data(), bound);
        const pp::zip_iterator ones_and_places(pp::constant_iterator<std::uint32_t>(1), sort.sorted_values());
        pp::reduce_by_key_into(policy, keys.begin(), keys.end(), ones_and_places, pp::discard_iterator{},
                               pp::zip_iterator(counts.data(), firsts.data()), different.data(), pp::equal_to{},
                               merge_occurrences{});
    });
    samples::stopwatch<Policy> watch(policy);
    watch.time({"all of them", "words and counts", n, n}, [&] { launch(); });

    word_counts found;
    found.words = samples::fetch(words)[0];
    found.counts = samples::fetch(counts);
    found.firsts = samples::fetch(firsts);
    found.counts.resize(samples::fetch(different)[0]);
    found.firsts.resize(found.counts.size());
    found.timings = watch.take();
    return found;
}

}  // namespace

word_counts count_words(const std::vector<std::uint8_t>& text, [[maybe_unused]] const samples::place& where)
{
#if PARPRIMS_CUDA_COMPILER
    if (where.on_device) {
        const pp::stream own;  // the default stream cannot be captured
        return count_with(pp::device.on(own), std::span(text));
    }
#endif
    return count_with(pp::host, std::span(text));
}
