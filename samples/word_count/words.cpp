// Where words begin, by copy_if; their hashes, by transform; a sort of these; how often each occurs, by reduce_by_key. No call waits: each
// finds in memory how many words the one before has left, so on a GPU all of them are one graph. Compiled as CUDA where a GPU may run it,
// as C++ elsewhere.
#include "word_count/words.hpp"

#include "support/machine.hpp"
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

/// Arrays where the policy runs, of as many elements as there may be words.
struct results {
    std::uint32_t* counts;
    std::uint32_t* firsts;
    std::uint32_t* words;      ///< one element: how many there are
    std::uint32_t* different;  ///< one element: the number of counts
};

template <class Policy>
std::vector<samples::timing> count_with(const Policy& policy, std::span<const std::uint8_t> text, std::size_t bound,
                                        const results& all)
{
    pair_sort<Policy> sort(policy, bound);  // places of words by their hashes
    const auto launch = launch_of(policy, [&] {
        const pp::counting_iterator<std::uint32_t> place(0);
        pp::copy_if_into(policy, place, place + static_cast<std::ptrdiff_t>(text.size()), sort.values(), all.words,
                         begins_word{text.data()});
        sort.pad();
        pp::transform(policy, pp::sized_on_device(sort.values(), all.words, bound), sort.keys(),
                      hash_of_word{text.data(), text.size()});
        sort(all.words);
        const auto keys = pp::sized_on_device(sort.sorted_keys(), all.words, bound);
        const pp::zip_iterator ones_and_places(pp::constant_iterator<std::uint32_t>(1), sort.sorted_values());
        pp::reduce_by_key_into(policy, keys.begin(), keys.end(), ones_and_places, pp::discard_iterator{},
                               pp::zip_iterator(all.counts, all.firsts), all.different, pp::equal_to{},
                               merge_occurrences{});
    });
    samples::stopwatch watch(policy);
    watch.time({"all of them", "words and counts", text.size(), text.size()}, [&] { launch(); });
    return watch.take();
}

}  // namespace

word_counts count_words(const std::vector<std::uint8_t>& text, [[maybe_unused]] const samples::place& where)
{
    const std::size_t bound = (text.size() + 1) / 2;  // of words: between two of them is a byte
    samples::check_memory(bound * 64);
    word_counts found{std::vector<std::uint32_t>(bound), std::vector<std::uint32_t>(bound), 0, {}};
    std::uint32_t words = 0, different = 0;
#if PARPRIMS_CUDA_COMPILER
    if (where.on_device) {
        const pp::stream own;  // the default stream cannot be captured
        const pp::device_buffer<std::uint8_t> on_gpu(text, own);
        pp::device_buffer<std::uint32_t> counts(bound, own), firsts(bound, own), sizes(2, own);
        found.timings = count_with(pp::device.on(own), on_gpu, bound,
                                   {counts.data(), firsts.data(), sizes.data(), sizes.data() + 1});
        counts.copy_to(found.counts);
        firsts.copy_to(found.firsts);
        words = sizes.to_host()[0];
        different = sizes.to_host()[1];
    } else
#endif
        found.timings =
            count_with(pp::host, text, bound, {found.counts.data(), found.firsts.data(), &words, &different});
    found.words = words;
    found.counts.resize(different);
    found.firsts.resize(different);
    return found;
}
