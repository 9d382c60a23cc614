/// @file
/// @brief  Calls over slices beside another GPU.
#include <doctest/doctest.h>

#include <parprims/axis.hpp>
#include <parprims/device.hpp>
#include <parprims/slices.hpp>

#include "stand_in/stand_in.hpp"
#include "support/raw.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

namespace pp = parprims;

namespace {

constexpr std::size_t n = 300'000;  // a scan needs more scratch than the group keeps

/// A group of one rank. The memory of the stand-in's GPUs is the host's.
struct alone {
    std::size_t rank() const { return 0; }
    std::size_t size() const { return 1; }
    void all_gather(const void* send, void* recv, std::size_t bytes, pp::stream_view)
    {
        std::memcpy(recv, send, bytes);
    }
    void all_reduce(std::uint64_t*, std::size_t, pp::stream_view) {}
};

/// Every call that is enqueued, over memory of a GPU.
class all_calls {
public:
    explicit all_calls(int device)
        : x_(raw_memory<float>(n, device)), y_(raw_memory<float>(n, device)),
          counts_(raw_memory<std::uint64_t>(100, device))
    {
    }

    /// Calls `with(call)` for each.
    template <class With>
    void for_each(With with) const
    {
        const float* const x = x_.get();
        const pp::regular_axis<float> axis(100, 0.0f, 1.0f);
        with([&](const auto& policy) { pp::reduce_into(policy, x, x + n, y_.get(), 0.0f); });
        with([&](const auto& policy) { pp::inclusive_scan(policy, x, x + n, y_.get()); });
        with([&](const auto& policy) { pp::histogram(policy, x, x + n, axis, counts_.get()); });
        with([&](const auto& policy) { pp::weighted_histogram(policy, x, x + n, x, axis, y_.get()); });
    }

private:
    std::shared_ptr<float[]> x_, y_;
    std::shared_ptr<std::uint64_t[]> counts_;
};

}  // namespace

TEST_CASE("slices stay on the GPU that they were made on, whichever is current, also while a graph is captured")
{
    const all_calls calls(1);
    const auto stream = raw_stream(1);
    unsigned launches = 0, elsewhere = 0;
    for (const bool is_captured : {false, true}) {
        CAPTURE(is_captured);
        alone group;
        const pp::device_policy where = is_captured ? pp::device.on(stream.get()) : pp::device;
        pp::slices slices = [&] {
            const pp::device_guard other(1);
            return pp::slices(where, group, n);
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
