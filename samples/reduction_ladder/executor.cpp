// The ladder on the CPU, lane by lane.
#include "reduction_ladder/engine.hpp"
#include "reduction_ladder/ladder.hpp"
#include "support/executor_launcher.hpp"
#include "support/requests.hpp"

#include <parprims/simt/calls.hpp>

#include <stdexcept>

namespace reduction_ladder {

namespace {

template <class T>
class executor_engine : public engine {
public:
    bool has(int step) const override { return step <= parprims_step; }

    result run(const request& what) override
    {
        samples::request_log requests;
        samples::executor_launcher launcher(&requests, what.warp_threads);
        std::vector<T> values(what.n);
        for (std::size_t i = 0; i < what.n; ++i)
            values[i] = input_value<T>{}(i);
        const T* const in = launcher.bring(values);
        const T sum =
            what.step == parprims_step
                ? parprims::executor::reduce(launcher, in, what.n, T{})
                : finish_on_cpu(launcher, reduce_down_to(launcher, what, in, enough_for(what),
                                                         make_scratch<samples::executor_launcher, T>(launcher, what)));
        return {sum == expected_sum<T>(what.n), 0, 0, launcher.take_counts(),
                samples::row_of(samples::costliest(requests.worst_of_lines()),
                                std::to_string(what.step) + ". " + names[what.step])};
    }

    transfers time_transfers(const request&) override
    {
        throw std::runtime_error("--transfers measures the way to a GPU and back, and there is none here");
    }

    double peak_bytes_per_second() const override { return 0; }
};

}  // namespace

std::unique_ptr<engine> make_executor_engine(value_type type)
{
    if (type == value_type::int32)
        return std::make_unique<executor_engine<int>>();
    return std::make_unique<executor_engine<float>>();
}

}  // namespace reduction_ladder
