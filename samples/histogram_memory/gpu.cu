// The kernels on the GPU, timed, with parprims and CUB beside them.
#include "histogram_memory/count.hpp"
#include "histogram_memory/cub.hpp"
#include "support/gpu_launcher.hpp"

namespace histogram_memory {

namespace {

class gpu_engine : public engine {
public:
    bool has(method which, const request& what) const override
    {
        const std::size_t fit = parprims::get_device_info(parprims::current_device()).shared_bytes_per_block;
        return (which != shared_atomics && which != replicated) || what.bins * sizeof(std::uint32_t) <= fit;
    }

    double peak_bytes_per_second() const override { return samples::gpu_launcher::peak_bytes_per_second(); }

    result run(method which, const request& what) override
    {
        bring_keys(what);
        samples::gpu_launcher launcher;
        auto* const counts = launcher.allocate<std::uint32_t>(what.bins);
        result measured;
        if (which == library) {
            measured.seconds = with_rule(what, [&](auto rule) {
                return launcher.median_seconds([&] {
                    if (what.by_range)
                        parprims::histogram(launcher.policy(), keys_, keys_ + what.n,
                                            parprims::regular_axis<std::uint32_t>(what.bins, 0, 1u << key_bits),
                                            counts);
                    else
                        parprims::histogram(launcher.policy(), keys_, keys_ + what.n,
                                            parprims::function_axis(what.bins, rule), counts);
                });
            });
        } else if (which == cub) {
            std::size_t bytes = 0;
            cub_histogram(nullptr, bytes, what, keys_, counts, launcher.stream());
            auto* const scratch = launcher.allocate<unsigned char>(bytes);
            measured.seconds =
                launcher.median_seconds([&] { cub_histogram(scratch, bytes, what, keys_, counts, launcher.stream()); });
        } else {
            measured.seconds = with_rule(what, [&](auto rule) {
                return launcher.median_seconds([&] { count(launcher, which, what, rule, keys_, counts); });
            });
        }
        measured.counts = launcher.fetch(counts, what.bins);
        return measured;
    }

private:
    /// The keys stay from run to run: fewer are the beginning of more.
    void bring_keys(const request& what)
    {
        if (what.n <= capacity_ && what.is_skewed == is_skewed_)
            return;
        input_.reset();
        input_ = std::make_unique<samples::gpu_launcher>();
        keys_ = samples::make_input<std::uint32_t>(*input_, what.n, make_key{what.is_skewed});
        input_->stream().synchronize();
        capacity_ = what.n;
        is_skewed_ = what.is_skewed;
    }

    std::unique_ptr<samples::gpu_launcher> input_;
    const std::uint32_t* keys_ = nullptr;
    std::size_t capacity_ = 0;
    bool is_skewed_ = false;
};

}  // namespace

std::unique_ptr<engine> make_gpu_engine()
{
    return std::make_unique<gpu_engine>();
}

}  // namespace histogram_memory
