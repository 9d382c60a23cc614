// The ladder on the GPU, timed.
#include "reduction_ladder/cub.hpp"
#include "reduction_ladder/engine.hpp"
#include "reduction_ladder/ladder.hpp"
#include "support/gpu_launcher.hpp"
#include "support/machine.hpp"

#include <parprims/pinned_buffer.hpp>

#include <chrono>
#include <numeric>

namespace reduction_ladder {

namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start)
{
    return std::chrono::duration<double>(clock::now() - start).count();
}

/// Median of five calls that end on the host, or three long ones, after one that is not counted.
template <class Call>
double median_to_answer(Call call)
{
    std::vector<double> seconds;
    for (std::size_t runs = 6; seconds.size() < runs;) {
        const auto start = clock::now();
        call();
        seconds.push_back(seconds_since(start));
        if (seconds.back() > 0.2)
            runs = 4;
    }
    const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
    std::nth_element(seconds.begin() + 1, middle, seconds.end());
    return *middle;
}

/// Values on the host and a copy on the GPU, and how long the way there and the CPU's own sum take.
template <class T>
struct host_values {
    explicit host_values(std::size_t n) : n(n), pageable(n)
    {
        for (std::size_t i = 0; i < n; ++i)
            pageable[i] = input_value<T>{}(i);
        measured.to_device_pageable = copy_seconds(pageable.data());
        const parprims::pinned_buffer<T> pinned(pageable);
        measured.to_device_pinned = copy_seconds(pinned.data());
        measured.cpu = median_to_answer([&] {
            T sum{};
            for (const T value : pageable)
                sum += value;
            on_cpu = sum;
        });
    }

    double copy_seconds(const T* from)
    {
        return median_to_answer([&] {
            launcher.check(cudaMemcpyAsync(in, from, n * sizeof(T), cudaMemcpyHostToDevice, launcher.stream().get()),
                           "copy");
            launcher.stream().synchronize();
        });
    }

    std::size_t n;
    std::vector<T> pageable;
    samples::gpu_launcher launcher;
    T* in = launcher.allocate<T>(n);
    volatile T on_cpu{};  // so that the loop stays
    transfers measured;
};

template <class T>
class gpu_engine : public engine {
public:
    bool has(int step) const override { return step <= cub_step; }
    double peak_bytes_per_second() const override { return samples::gpu_launcher::peak_bytes_per_second(); }

    result run(const request& what) override
    {
        bring_input(what.n);
        samples::gpu_launcher launcher;
        T* const out = launcher.allocate<T>(1);
        result measured;
        T sum{};
        if (what.step == parprims_step) {
            const auto call = [&] { parprims::reduce_into(launcher.policy(), in_, in_ + what.n, out, T{}); };
            measured.seconds = launcher.median_seconds(call);
            const auto answer = [&] { sum = parprims::reduce(launcher.policy(), in_, in_ + what.n, T{}); };
            measured.seconds_to_answer = median_to_answer(answer);
        } else if (what.step == cub_step) {
            const std::size_t bytes = cub_scratch_bytes<T>(in_, what.n, out);
            auto* const room = launcher.allocate<unsigned char>(bytes);
            const auto call = [&] { cub_reduce<T>(room, bytes, in_, what.n, out, launcher.stream()); };
            measured.seconds = launcher.median_seconds(call);
            const auto answer = [&] {
                call();
                sum = launcher.fetch(out, 1)[0];
            };
            measured.seconds_to_answer = median_to_answer(answer);
        } else {
            const auto room = make_scratch<samples::gpu_launcher, T>(launcher, what);
            const auto call = [&] {
                return reduce_down_to<samples::gpu_launcher, T>(launcher, what, in_, enough_for(what), room);
            };
            measured.seconds = launcher.median_seconds(call);
            const auto answer = [&] { sum = finish_on_cpu(launcher, call()); };
            measured.seconds_to_answer = median_to_answer(answer);
        }
        measured.is_right = sum == expected_sum<T>(what.n);
        return measured;
    }

    transfers time_transfers(const request& what) override
    {
        samples::check_memory(2 * what.n * sizeof(T));  // pageable and pinned
        input_.reset();                                 // room for the copies
        capacity_ = 0;
        if (!values_ || values_->n != what.n) {
            values_.reset();
            values_ = std::make_unique<host_values<T>>(what.n);
        }
        samples::gpu_launcher launcher;
        const auto room = make_scratch<samples::gpu_launcher, T>(launcher, what);
        transfers measured = values_->measured;
        remaining<T> left{};
        measured.kernels = launcher.median_seconds([&] {
            left = reduce_down_to<samples::gpu_launcher, T>(launcher, what, values_->in, enough_for(what), room);
        });
        T sum{};
        measured.to_host_pageable = median_to_answer([&] { sum = finish_on_cpu(launcher, left); });
        parprims::pinned_buffer<T> pinned(left.count);
        T pinned_sum{};
        measured.to_host_pinned = median_to_answer([&] {
            launcher.fetch(left.values, pinned.data(), left.count);
            pinned_sum = std::accumulate(pinned.data(), pinned.data() + left.count, T{});
        });
        measured.is_right = sum == expected_sum<T>(what.n) && pinned_sum == sum && values_->on_cpu == sum;
        return measured;
    }

private:
    /// The input stays from run to run: a shorter one is the beginning of a longer one.
    void bring_input(std::size_t n)
    {
        if (n <= capacity_)
            return;
        input_.reset();
        input_ = std::make_unique<samples::gpu_launcher>();
        in_ = samples::make_input<T>(*input_, n, input_value<T>{});
        input_->stream().synchronize();
        capacity_ = n;
    }

    std::unique_ptr<samples::gpu_launcher> input_;
    const T* in_ = nullptr;
    std::size_t capacity_ = 0;
    std::unique_ptr<host_values<T>> values_;
};

}  // namespace

std::unique_ptr<engine> make_gpu_engine(value_type type)
{
    if (type == value_type::int32)
        return std::make_unique<gpu_engine<int>>();
    return std::make_unique<gpu_engine<float>>();
}

}  // namespace reduction_ladder
