// The scans on the CPU, lane by lane.
#include "scan_methods/engine.hpp"
#include "scan_methods/scan.hpp"
#include "support/executor_launcher.hpp"

#include <parprims/simt/calls.hpp>

namespace scan_methods {

namespace {

struct counted_plus {
    template <class T>
    T operator()(const T& a, const T& b) const
    {
        return add(a, b);
    }
};

template <class T>
class executor_engine : public engine {
public:
    bool has(method which) const override { return which != cub; }
    double peak_bytes_per_second() const override { return 0; }

    result run(method which, const request& what) override
    {
        samples::executor_launcher launcher;
        std::vector<T> values(what.n);
        for (std::size_t i = 0; i < what.n; ++i)
            values[i] = input_value<T>{}(i);
        const T* const in = launcher.bring(values);
        T* const out = launcher.allocate<T>(what.n);
        spent = {};
        if (which == library)
            parprims::executor::inclusive_scan(launcher, in, what.n, out, counted_plus{});
        else
            scan(launcher, which, what, in, out, make_scratch<samples::executor_launcher, T>(launcher, what));

        const auto expected = expected_period<T>();
        bool is_right = true;
        const auto found = launcher.fetch(out, what.n);
        for (std::size_t i = 0; i < what.n; ++i)
            is_right = is_right && found[i] == expected[i % period];
        return {is_right, 0, launcher.take_counts(), spent.additions, spent.steps};
    }
};

}  // namespace

std::unique_ptr<engine> make_executor_engine(value_type type)
{
    if (type == value_type::int32)
        return std::make_unique<executor_engine<int>>();
    return std::make_unique<executor_engine<float>>();
}

}  // namespace scan_methods
