// Calls over several ranks.
//
// expect local_device: parprims: the local policy of parprims::distributed is parprims::host
// expect strings: parprims: values of several ranks must be trivially copyable
// expect device_buffer_on_host: parprims: parprims::host cannot read a device_buffer
// expect other_call: parprims: several ranks have reduce, transform_reduce, the scans and the histograms, not this call
// expect other_call_by_segments: parprims: several ranks have reduce, transform_reduce, the scans and the histograms, not this call
// expect size_in_memory: parprims: this call takes no size on the device; calls over several ranks take none
// expect init_in_memory: parprims: over several ranks init is a value, not value_at
// expect count_of_float: parprims: the count of sized_on_device must point to an integer
// compiles
#include <parprims/device_buffer.hpp>
#include <parprims/distributed.hpp>
#include <parprims/extremes.hpp>
#include <parprims/segmented.hpp>

#include <string>
#include <vector>

namespace pp = parprims;

template <pp::communicator Communicator>
void calls(Communicator& group, const std::vector<float>& x, [[maybe_unused]] const pp::device_buffer<float>& on_device,
           [[maybe_unused]] const std::vector<std::string>& texts)
{
    const auto policy = pp::distributed(pp::host, group);
    (void)pp::reduce(policy, x);

#if defined(local_device)
    (void)pp::reduce(pp::distributed(pp::device, group), on_device);
#elif defined(size_in_memory)
    const int count = 1;
    (void)pp::reduce(policy, pp::sized_on_device(x.begin(), &count, x.size()));
#elif defined(init_in_memory)
    (void)pp::reduce(policy, x, pp::value_at(x.data()));
#elif defined(count_of_float)
    (void)pp::reduce(pp::host, pp::sized_on_device(x.begin(), x.data(), x.size()));
#elif defined(strings)
    (void)pp::reduce(policy, texts);
#elif defined(device_buffer_on_host)
    (void)pp::reduce(policy, on_device);
#elif defined(other_call)
    (void)pp::min_element(policy, x.begin(), x.end());
#elif defined(other_call_by_segments)
    std::vector<float> totals(x.size());
    pp::segmented_reduce(policy, x, 100, totals.begin(), 0.0f);
#endif
}

struct alone {
    int rank() const { return 0; }
    int size() const { return 1; }
    void all_gather(const void*, void*, std::size_t, pp::stream_view) {}
    void all_reduce(std::uint64_t*, std::size_t, pp::stream_view) {}
};

template void calls(alone&, const std::vector<float>&, const pp::device_buffer<float>&,
                    const std::vector<std::string>&);
