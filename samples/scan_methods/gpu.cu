// The scans on the GPU, timed, with parprims and CUB beside them.
#include "scan_methods/cub.hpp"
#include "scan_methods/engine.hpp"
#include "scan_methods/scan.hpp"
#include "support/gpu_launcher.hpp"

namespace scan_methods {

namespace {

/// Counts the values that are not those of the expected period.
template <class T>
struct compare_kernel {
    static constexpr unsigned max_threads = 256;
    struct shared_storage {};

    const T* found;
    std::size_t n;
    const T* expected;
    unsigned* differences;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        unsigned mine = 0;
        for (std::size_t i = block.index() * block.threads() + block.thread(); i < n;
             i += block.count() * block.threads())
            mine += found[i] != expected[i % period];
        if (mine != 0)
            simt::atomic_add(differences, mine);
    }
};

template <class T>
class gpu_engine : public engine {
public:
    bool has(method) const override { return true; }
    double peak_bytes_per_second() const override { return samples::gpu_launcher::peak_bytes_per_second(); }

    result run(method which, const request& what) override
    {
        bring_input(what.n);
        samples::gpu_launcher launcher;
        launcher.set_to_zero(out_, what.n);
        result measured;
        if (which == library) {
            measured.seconds =
                launcher.median_seconds([&] { parprims::inclusive_scan(launcher.policy(), in_, in_ + what.n, out_); });
        } else if (which == cub) {
            std::size_t bytes = 0;
            cub_scan<T>(nullptr, bytes, in_, out_, what.n, launcher.stream());
            auto* const scratch = launcher.allocate<unsigned char>(bytes);
            measured.seconds =
                launcher.median_seconds([&] { cub_scan<T>(scratch, bytes, in_, out_, what.n, launcher.stream()); });
        } else {
            const auto levels = make_scratch<samples::gpu_launcher, T>(launcher, what);
            measured.seconds = launcher.median_seconds([&] { scan(launcher, which, what, in_, out_, levels); });
        }
        measured.is_right = is_scan(launcher, what.n);
        return measured;
    }

private:
    bool is_scan(samples::gpu_launcher& launcher, std::size_t n)
    {
        const T* const expected = launcher.bring(expected_period<T>());
        auto* const differences = launcher.allocate<unsigned>(1);
        launcher.set_to_zero(differences, 1);
        launcher.launch(1056, 256, compare_kernel<T>{out_, n, expected, differences});
        return launcher.fetch(differences, 1)[0] == 0;
    }

    /// The input stays from run to run: a shorter one is the beginning of a longer one.
    void bring_input(std::size_t n)
    {
        if (n <= capacity_)
            return;
        memory_.reset();
        memory_ = std::make_unique<samples::gpu_launcher>();
        in_ = samples::make_input<T>(*memory_, n, input_value<T>{});
        out_ = memory_->allocate<T>(n);
        memory_->stream().synchronize();
        capacity_ = n;
    }

    std::unique_ptr<samples::gpu_launcher> memory_;
    const T* in_ = nullptr;
    T* out_ = nullptr;
    std::size_t capacity_ = 0;
};

}  // namespace

std::unique_ptr<engine> make_gpu_engine(value_type type)
{
    if (type == value_type::int32)
        return std::make_unique<gpu_engine<int>>();
    return std::make_unique<gpu_engine<float>>();
}

}  // namespace scan_methods
