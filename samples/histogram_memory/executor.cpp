// The kernels on the CPU, lane by lane.
#include "histogram_memory/count.hpp"
#include "support/executor_launcher.hpp"
#include "support/requests.hpp"

#include <parprims/axis.hpp>
#include <parprims/simt/calls.hpp>

namespace histogram_memory {

namespace {

class executor_engine : public engine {
public:
    bool has(method which, const request& what) const override
    {
        const bool fits =
            what.bins * sizeof(std::uint32_t) <= samples::executor_launcher().gpu().shared_bytes_per_block;
        return which != cub && (which == global_atomics || which == library || fits);
    }

    double peak_bytes_per_second() const override { return 0; }

    result run(method which, const request& what) override
    {
        samples::request_log requests;
        samples::executor_launcher launcher(&requests);
        std::vector<std::uint32_t> values(what.n);
        for (std::size_t i = 0; i < what.n; ++i)
            values[i] = make_key{what.is_skewed}(i);
        const std::uint32_t* const keys = launcher.bring(values);
        auto* const counts = launcher.allocate<std::uint32_t>(what.bins);
        with_rule(what, [&](auto rule) {
            if (which == library)
                parprims::executor::histogram(launcher, keys, what.n, parprims::function_axis(what.bins, rule), counts);
            else
                count(launcher, which, what, rule, keys, counts);
        });
        return {launcher.fetch(counts, what.bins), 0, launcher.take_counts(),
                samples::row_of(samples::costliest(requests.worst_of_lines()), names[which])};
    }
};

}  // namespace

std::unique_ptr<engine> make_executor_engine()
{
    return std::make_unique<executor_engine>();
}

}  // namespace histogram_memory
