// The golden hashes by the kernels of a GPU, on the executor: the rows that do not take long.
#include <parprims/detail/simt/simt.hpp>

#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/along/dispatch.hpp>
#include <parprims/detail/device/along/scan_dispatch.hpp>
#include <parprims/detail/device/by_key/dispatch.hpp>
#include <parprims/detail/device/exact/dispatch.hpp>
#include <parprims/detail/device/exact/segments_dispatch.hpp>
#include <parprims/detail/device/reduce/dispatch.hpp>
#include <parprims/detail/device/scan/dispatch.hpp>
#include <parprims/detail/device/segmented/dispatch.hpp>
#include <parprims/detail/device/segmented_weighted/dispatch.hpp>
#include <parprims/detail/device/weighted/dispatch.hpp>

#include <parprims/axis.hpp>
#include <parprims/iterator.hpp>
#include <parprims/weights.hpp>

#include "executor_memory.hpp"
#include "program.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace {

using namespace contract;
namespace pp = parprims;
namespace exact = parprims::detail::exact;
using parprims::detail::fixed_segments;
using parprims::detail::offset_segments;
using parprims::detail::scan_kind;

template <class V, class T, class Op, bool IsSized = false>
struct kernel_calls {
    static auto launcher_of(const row& r) { return launcher_of(r, r.n); }
    static auto launcher_of(const row& r, std::size_t n)
    {
        if constexpr (IsSized)
            return sized_launcher(options_of(r), gpu_of(r), n, planned(r, n));
        else
            return plain_launcher_of(r);
    }
    static launcher plain_launcher_of(const row& r) { return launcher(options_of(r), gpu_of(r)); }
    /// What a call of n elements, or segments, is planned for.
    static std::size_t planned(const row& r) { return planned(r, r.n); }
    static std::size_t planned(const row& r, std::size_t n)
    {
        return IsSized && n != 0 ? n + r.seed % 4 * r.seed % 9 * 1000 : n;
    }

    /// Another schedule for each row.
    static executor::options options_of(const row& r)
    {
        executor::options how;
        how.order = static_cast<executor::schedule>(r.seed % 4);
        how.blocks = static_cast<executor::block_order>(r.seed % 3);
        how.resident_blocks = 1 + static_cast<unsigned>(r.seed % 5);
        how.seed = r.seed;
        return how;
    }
    static device::gpu_properties gpu_of(const row& r)
    {
        return {.multiprocessors = 2, .architecture = r.seed % 2 == 0 ? 90 : 89};
    }
    static kernel_place<V> elements(const row& r, std::uint64_t more_seed = 0)
    {
        return {values_of<V>(r, more_seed), r.offset};
    }
    static kernel_place<T> results(std::size_t n, const row& r) { return {n, 3 * r.offset + 1}; }

    static std::vector<T> reduce(const row& r)
    {
        auto on = launcher_of(r);
        auto x = elements(r);
        auto out = results(1, r);
        T init{};
        if (r.has_init())
            init = init_of<T>(r);
        if (r.n == 0)  // no kernel
            return {init};
        if constexpr (std::is_same_v<Op, pp::exact_plus>)
            device::enqueue_exact_sum<exact::numbers<V>>(on, x.values(), planned(r), out.data(), init, pp::identity{});
        else
            device::enqueue_reduce(on, pp::reduce_config{}, x.values(), planned(r), out.data(), init, Op{},
                                   pp::identity{});
        return out.read();
    }

    /// Of exact sums.
    static std::vector<T> transform_reduce_2(const row& r)
    {
        using product = pp::detail::of_pair<pp::multiplies>;
        auto on = launcher_of(r);
        auto x = elements(r);
        auto y = elements(r, 1000);
        auto out = results(1, r);
        const pp::zip_iterator pairs(x.values(), y.values());
        using terms = exact::terms<pp::tuple<V, V>, product>;
        device::enqueue_exact_sum<terms>(on, pairs, planned(r), out.data(), init_of<T>(r), product{});
        return out.read();
    }

    template <scan_kind Kind>
    static std::vector<T> scan(const row& r)
    {
        auto on = launcher_of(r);
        auto x = elements(r);
        auto out = results(r.n, r);
        const T init = init_of<T>(r);
        if (r.n != 0)
            device::enqueue_scan<Kind>(on, pp::scan_config{}, x.values(), planned(r), out.data(),
                                       r.has_init() ? &init : nullptr, Op{}, pp::identity{});
        return out.read();
    }
    static std::vector<T> inclusive_scan(const row& r) { return scan<scan_kind::inclusive>(r); }
    static std::vector<T> exclusive_scan(const row& r) { return scan<scan_kind::exclusive>(r); }

    template <scan_kind Kind>
    static std::vector<T> scan_by_key(const row& r)
    {
        auto on = launcher_of(r);
        kernel_place<std::uint32_t> keys(keys_of(r), r.offset);
        auto x = elements(r);
        auto out = results(r.n, r);
        const T init = init_of<T>(r);
        if (r.n != 0)
            device::enqueue_scan_by_key<Kind, T>(on, keys.values(), planned(r), x.values(), out.data(), &init,
                                                 pp::equal_to{}, Op{});
        return out.read();
    }
    static std::vector<T> inclusive_scan_by_key(const row& r) { return scan_by_key<scan_kind::inclusive>(r); }
    static std::vector<T> exclusive_scan_by_key(const row& r) { return scan_by_key<scan_kind::exclusive>(r); }

    static std::vector<T> reduce_by_key(const row& r)
    {
        auto on = launcher_of(r);
        kernel_place<std::uint32_t> keys(keys_of(r), r.offset);
        kernel_place<std::uint32_t> keys_out(r.n, r.offset);
        kernel_place<std::size_t> count(1, 0);
        auto x = elements(r);
        auto out = results(r.n, r);
        const device::converted_output<std::size_t*> to{count.data()};
        if constexpr (std::is_same_v<Op, pp::exact_plus>)
            device::enqueue_exact_by_key<exact::numbers<V>, T>(on, keys.values(), planned(r), x.values(),
                                                               keys_out.data(), out.data(), pp::equal_to{}, to);
        else
            device::enqueue_reduce_by_key<T>(on, keys.values(), planned(r), x.values(), keys_out.data(), out.data(), to,
                                             pp::equal_to{}, Op{});
        std::vector<T> totals = out.read();
        totals.resize(*count.data());
        return totals;
    }

    /// `call` gets a launcher, the segments that a call is planned for, and their number.
    template <class Call>
    static void segmented(const row& r, Call call)
    {
        if (!r.has_offsets()) {
            auto on = plain_launcher_of(r);
            const auto segments = fixed_segments::of(r.n, r.length());
            return call(on, segments, segments.count);
        }
        kernel_place<std::uint32_t> offsets(offsets_of(r), 0);
        const std::size_t count = offsets_of(r).size() - 1;
        auto on = launcher_of(r, count);
        call(on, offset_segments<const std::uint32_t*>{offsets.values(), r.n, planned(r, count)}, count);
    }

    static std::vector<T> segmented_reduce(const row& r)
    {
        auto x = elements(r);
        std::vector<T> result;
        segmented(r, [&](auto& on, const auto& segments, std::size_t count) {
            auto out = results(count, r);
            if (count == 0)
                return;
            if constexpr (std::is_same_v<Op, pp::exact_plus>)
                device::enqueue_exact_segments<exact::sum_terms<V, T>>(on, segments, x.values(),
                                                                       device::make_output(out.data()), init_of<T>(r));
            else
                device::enqueue_segmented_reduce<T>(on, segments, x.values(), out.data(), init_of<T>(r), Op{});
            result = out.read();
        });
        return result;
    }

    template <scan_kind Kind>
    static std::vector<T> segmented_scan(const row& r)
    {
        auto x = elements(r);
        auto out = results(r.n, r);
        const T init = init_of<T>(r);
        segmented(r, [&](auto& on, const auto& segments, std::size_t) {
            if (r.n != 0)
                device::enqueue_segmented_scan<Kind, T>(on, segments, r.n, x.values(), out.data(), &init, Op{});
        });
        return out.read();
    }
    static std::vector<T> segmented_inclusive_scan(const row& r) { return segmented_scan<scan_kind::inclusive>(r); }
    static std::vector<T> segmented_exclusive_scan(const row& r) { return segmented_scan<scan_kind::exclusive>(r); }

    /// The lines of the matrix of a row. Results lie as elements do, or there is one for each line.
    static device::placed_lines<const V*, T*> lines_of(const row& r, const V* x, T* out, bool has_one_result)
    {
        const std::size_t rows = r.n / r.length(), columns = r.length();
        const auto step = static_cast<std::ptrdiff_t>(columns);
        const parprims::detail::dimension dimensions[] = {{rows, step, has_one_result ? 1 : step}, {columns, 1, 1}};
        const bool is_along[] = {r.dimension() == 0, r.dimension() == 1};
        return {parprims::detail::lines_along(dimensions, 2, is_along), x, 0, out, 0};
    }
    static std::vector<T> reduce_along(const row& r)
    {
        auto on = plain_launcher_of(r);
        auto x = elements(r);
        auto out = results(r.lines(), r);
        device::enqueue_reduce_along(on, lines_of(r, x.values(), out.data(), true), init_of<T>(r), Op{},
                                     pp::identity{});
        return out.read();
    }

    template <scan_kind Kind>
    static std::vector<T> scan_along(const row& r)
    {
        auto on = plain_launcher_of(r);
        auto x = elements(r);
        auto out = results(r.n, r);
        const T init = init_of<T>(r);
        device::enqueue_scan_along<Kind>(on, pp::scan_config{}, lines_of(r, x.values(), out.data(), false),
                                         r.has_init() ? &init : nullptr, Op{}, pp::identity{});
        return out.read();
    }
    static std::vector<T> inclusive_scan_along(const row& r) { return scan_along<scan_kind::inclusive>(r); }
    static std::vector<T> exclusive_scan_along(const row& r) { return scan_along<scan_kind::exclusive>(r); }

    template <class Bin>
    static std::vector<T> bins_of(const row& r)
    {
        auto on = launcher_of(r);
        kernel_place<V> x(samples_of<V>(r, r.length()), r.offset);
        auto weights = elements(r);
        kernel_place<Bin> bins(r.length(), 1);
        device::enqueue_weighted(on, {}, x.values(), planned(r), weights.values(),
                                 pp::regular_axis<V>(r.length(), V{0}, static_cast<V>(r.length())), bins.data());
        return contract::numbers_of(bins.read());
    }
    static std::vector<T> weighted_histogram(const row& r) { return bins_of<T>(r); }
    static std::vector<T> weighted_histogram_2(const row& r) { return bins_of<pp::weighted_sum<T>>(r); }
    static std::vector<T> profile(const row& r) { return bins_of<pp::profile_bin<T>>(r); }

    static std::vector<T> weighted_histogram_along(const row& r)
    {
        auto on = plain_launcher_of(r);
        kernel_place<V> x(samples_of<V>(r, line_bins), r.offset);
        auto weights = elements(r);
        auto sums = results(r.lines() * line_bins, r);
        const std::size_t rows = r.n / r.length(), columns = r.length();
        const auto step = static_cast<std::ptrdiff_t>(columns);
        const parprims::detail::dimension samples[] = {{rows, step, 0}, {columns, 1, 0}};
        const bool is_along[] = {r.dimension() == 0, r.dimension() == 1};
        const std::ptrdiff_t of_weights[] = {step, 1};
        const std::ptrdiff_t places[] = {is_along[0] ? 0 : 1, is_along[1] ? 0 : 1};
        const auto lines = parprims::detail::weighted_lines::of(samples, 2, is_along, of_weights, places, 0);
        device::enqueue_weighted_lines(on, lines, device::array_input<const V*>{x.values(), 0, r.n},
                                       device::array_input<const V*>{weights.values(), 0, r.n},
                                       pp::regular_axis<V>(line_bins, V{0}, V{line_bins}), sums.data());
        return sums.read();
    }
};

template <class V, class T, class Op>
using calls = kernel_calls<V, T, Op>;
template <class V, class T, class Op>
using sized_calls = kernel_calls<V, T, Op, true>;

template <template <class, class, class> class Calls>
codes<Calls> all_codes()
{
    using pp::plus;
    codes<Calls> all;
    all.template reduction<plus, float>()
        .template reduction<plus, double>()
        .template reduction<plus, float, double>()
        .template reduction<plus, f32x3>();
    all.template reduction<then, map8>()
        .template exact_sums<float>()
        .template exact_sums<double>()
        .template exact_sums<double, float>();
    all.template scans<plus, float>()
        .template scans<plus, double>()
        .template scans<then, map12>()
        .template by_key<plus, float>()
        .template by_key<then, map12>();
    all.template segmented_reduction<plus, float>()
        .template segmented_reduction<then, map8>()
        .template segmented_scans<plus, float>()
        .template weights<float>()
        .template weights<double>()
        .template weights<float, double>();
    all.template reduction<skew, std::uint8_t>().template scans<skew, std::uint8_t>().template by_key<skew, u64x2>();
    all.template reduction<skew, u64x8>().template reduction<pp::minimum_number, float>();
    return all;
}

}  // namespace

int main(int count, char** arguments)
{
    const auto is_short = [](const row& r) { return r.n <= 33000; };
    auto of_host_sizes = all_codes<calls>();
    of_host_sizes.along<pp::plus, float>().along<then, map8>().weights_along<float>();
    const int plain = check_rows(count, arguments, of_host_sizes, false, is_short);
    return plain != 0 ? plain : check_rows(count, arguments, all_codes<sized_calls>(), false, is_short);
}
