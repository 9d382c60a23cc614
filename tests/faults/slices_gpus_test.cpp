/// @file
/// @brief  Calls over slices beside another GPU, and beside another rank that fails.
#include <doctest/doctest.h>

#include <parprims/axis.hpp>
#include <parprims/device.hpp>
#include <parprims/error.hpp>
#include <parprims/slices.hpp>

#include "stand_in/stand_in.hpp"
#include "support/raw.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>

namespace pp = parprims;
namespace device = parprims::detail::device;

namespace {

/// Whether `check` throws what CUDA says. Not CHECK_THROWS_AS: nvcc 13.0 makes no C++ of its type in a lambda.
template <class Slices>
bool finds_fault(Slices& slices)
{
    try {
        slices.check();
        return false;
    } catch (const pp::cuda_error&) {
        return true;
    }
}

constexpr std::size_t large = 300'000;  // a scan needs more scratch than the group keeps

/// A group of one rank, in which another one may fail as well. The memory of the stand-in's GPUs is the host's.
struct one_of_two {
    bool other_fails = false;
    std::function<void()> afterwards = [] {};
    unsigned calls = 0;
    bool has_unread = false;  // whether all bits of a message were set
    std::uint64_t call = 0;   // what identifies the last histogram, weighted or not

    std::size_t rank() const { return 0; }
    std::size_t size() const { return 1; }
    void all_gather(const void* send, void* recv, std::size_t bytes, pp::stream_view)
    {
        std::memcpy(recv, send, bytes);
        ++calls;
        has_unread = has_unread || *static_cast<std::uint64_t*>(recv) == ~std::uint64_t{};
        if (other_fails)
            static_cast<std::uint64_t*>(recv)[1] = 1;
        afterwards();
    }
    void all_reduce(std::uint64_t* counters, std::size_t count, pp::stream_view)
    {
        has_unread = has_unread || counters[count - 2] == ~std::uint64_t{};
        call = counters[count - 1];
        counters[count - 2] += other_fails ? 1 : 0;
        ++calls;
        afterwards();
    }
};

/// Every call that is enqueued, over memory of a GPU.
class all_calls {
public:
    explicit all_calls(int device)
        : x_(raw_memory<float>(large, device)), y_(raw_memory<float>(large, device)),
          counts_(raw_memory<std::uint64_t>(100, device))
    {
    }

    /// Calls `with(call)` for each.
    template <class With>
    void for_each(With with) const
    {
        const float* const x = x_.get();
        const pp::regular_axis<float> axis(100, 0.0f, 1.0f);
        with([&](const auto& policy) { pp::reduce_into(policy, x, x + large, y_.get(), 0.0f); });
        with([&](const auto& policy) { pp::inclusive_scan(policy, x, x + large, y_.get()); });
        with([&](const auto& policy) { pp::histogram(policy, x, x + large, axis, counts_.get()); });
        with([&](const auto& policy) { pp::weighted_histogram(policy, x, x + large, x, axis, y_.get()); });
    }

private:
    std::shared_ptr<float[]> x_, y_;
    std::shared_ptr<std::uint64_t[]> counts_;
};

/// Writes what the kernels of a good call write, by which the ranks tell each other that they made it.
void tell(const void* kernel, void** parameters)
{
    const auto if_it_is = [&]<class Kernel>(const Kernel*, auto write) {
        if (kernel == reinterpret_cast<const void*>(&device::run_kernel<Kernel>))
            write(*static_cast<const Kernel*>(parameters[0]));
    };
    const auto write_header = [](const auto& message) {
        auto* const words = reinterpret_cast<std::uint64_t*>(message.messages.group.sent);
        words[0] = message.messages.call;
        words[1] = 0;
    };
    using input = device::input_for<const float*>;
    if_it_is(static_cast<device::rank_fold_kernel<input, float, pp::plus, pp::identity>*>(nullptr), write_header);
    if_it_is(static_cast<device::rank_tiles_kernel<input, float, pp::plus, pp::identity>*>(nullptr), write_header);
    if_it_is(static_cast<device::rank_count_words_kernel*>(nullptr), [](const auto& sums) {
        sums.words[0] = sums.failed;
        sums.words[1] = sums.call;
    });
}

/// Whether a kernel tells the other ranks that this one failed.
bool has_failed(const void* kernel, void** parameters)
{
    if (kernel == reinterpret_cast<const void*>(&device::run_kernel<device::rank_failure_kernel>))
        return true;
    return kernel == reinterpret_cast<const void*>(&device::run_kernel<device::rank_count_words_kernel>) &&
           static_cast<const device::rank_count_words_kernel*>(parameters[0])->failed != 0;
}

}  // namespace

TEST_CASE("slices stay on the GPU that they were made on, whichever is current, also while a graph is captured")
{
    const all_calls calls(1);
    const auto stream = raw_stream(1);
    unsigned launches = 0, elsewhere = 0;
    for (const bool is_captured : {false, true}) {
        CAPTURE(is_captured);
        one_of_two group;
        const pp::device_policy where = is_captured ? pp::device.on(stream.get()) : pp::device;
        pp::slices slices = [&] {
            const pp::device_guard other(1);
            return pp::slices(where, group, large);
        }();
        stand_in::arm({});  // forgets misuse
        stand_in::watch_launches([&](const void*, void**) {
            ++launches;
            elsewhere += stand_in::live().device != 1;
        });
        {
            const auto all = [&] { calls.for_each([&](auto call) { call(pp::distributed(slices)); }); };
            if (is_captured) {
                const capture_of capture(stream.get());
                all();
            } else {
                all();
            }
        }
        stand_in::watch_launches({});
        CHECK_NOTHROW(slices.check());
        CHECK(stand_in::misuse() == "");
        CHECK(stand_in::live().device == 0);
    }
    CHECK(launches >= 20);
    CHECK(elsewhere == 0);
}

TEST_CASE("what identifies a histogram among ranks depends on own_counters and on weights")
{
    const auto stream = raw_stream(0);
    const auto x = raw_memory<float>(large), sums = raw_memory<float>(100);
    const auto counts = raw_memory<std::uint64_t>(100);
    const pp::regular_axis<float> axis(100, 0.0f, 1.0f);
    one_of_two group;
    pp::slices slices(pp::device.on(stream.get()), group, large);
    const auto policy = pp::distributed(slices);
    const auto counted = [&](auto... own) {
        pp::histogram(policy, x.get(), x.get() + large, axis, counts.get(), own...);
        return group.call;
    };
    const auto weighted = [&] {
        pp::weighted_histogram(policy, x.get(), x.get() + large, x.get(), axis, sums.get());
        return group.call;
    };
    stand_in::watch_launches(tell);
    CHECK(counted() == counted());
    CHECK(counted() != counted(pp::own_counters));
    CHECK(weighted() != counted());
    CHECK(weighted() == weighted());
    stand_in::watch_launches({});
}

TEST_CASE("a rank that can launch nothing after the exchange sees that another rank failed, and reports with it")
{
    const all_calls calls(0);
    const auto stream = raw_stream(0);
    calls.for_each([&](auto call) {
        for (const bool other_fails : {false, true}) {
            CAPTURE(other_fails);
            one_of_two group;
            pp::slices slices(pp::device.on(stream.get()), group, large);
            stand_in::watch_launches(tell);
            group.other_fails = other_fails;
            group.afterwards = [] { stand_in::arm({1, true, stand_in::failure::wrong_binary}); };
            call(pp::distributed(slices));
            stand_in::disarm();
            stand_in::watch_launches({});
            group.afterwards = [] {};
            group.other_fails = false;
            const unsigned before = group.calls;
            CHECK(finds_fault(slices));
            CHECK(group.calls == before + (other_fails ? 1 : 0));  // the reports, for which the other rank waits
        }
    });
}

TEST_CASE(
    "a rank whose GPU fails while messages are staged takes part, and tells the others, at the latest in its next call")
{
    const all_calls calls(0);
    const auto stream = raw_stream(0);
    calls.for_each([&](auto call) {
        unsigned unread = 0, late = 0;
        bool is_reached = true;
        for (unsigned fault = 1; is_reached; ++fault) {
            CAPTURE(fault);
            one_of_two group;
            pp::staged_communicator world(group);
            pp::slices slices(pp::device.on(stream.get()), world, large);
            const auto exchanges = [&] {
                const unsigned before = group.calls;
                call(pp::distributed(slices));
                return group.calls - before;
            };
            unsigned told = 0;
            stand_in::watch_launches([&](const void* kernel, void** parameters) {
                tell(kernel, parameters);
                told += has_failed(kernel, parameters);
            });
            const unsigned of_good_call = exchanges();
            stand_in::arm({fault, false, stand_in::failure::unknown});
            unsigned done = of_good_call;
            try {
                done = exchanges();
            } catch (const pp::cuda_error&) {  // at the start, where the GPU is looked up
                CHECK(stand_in::failed_calls()[0] != "cudaMemcpyAsync");
                CHECK(stand_in::failed_calls()[0] != "cudaStreamSynchronize");
            }
            stand_in::disarm();
            CHECK(done == of_good_call);
            is_reached = !stand_in::failed_calls().empty();
            const std::string failed = is_reached ? stand_in::failed_calls()[0] : "";
            CHECK((failed != "cudaStreamSynchronize" || group.has_unread));
            unread += group.has_unread;
            if (failed != "cudaMemcpyAsync" || group.has_unread || told != 0)
                continue;
            CHECK(finds_fault(slices));  // of this rank alone
            CHECK(exchanges() == of_good_call);
            CHECK(told == 1);
            ++late;
        }
        stand_in::watch_launches({});
        CHECK(unread >= 3);
        CHECK(late == 1);
    });
}
