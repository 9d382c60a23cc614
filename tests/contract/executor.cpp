// The golden hashes by the kernels of a GPU, on the executor: the rows that do not take long.
#include <parprims/detail/simt/simt.hpp>

#include <executor/launcher.hpp>
#include <executor/memory.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/by_key/dispatch.hpp>
#include <parprims/detail/device/exact/dispatch.hpp>
#include <parprims/detail/device/exact/segments_dispatch.hpp>
#include <parprims/detail/device/reduce/dispatch.hpp>
#include <parprims/detail/device/scan/dispatch.hpp>
#include <parprims/detail/device/segmented/dispatch.hpp>

#include <parprims/iterator.hpp>

#include "program.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace {

using namespace contract;
namespace pp = parprims;
namespace device = parprims::detail::device;
namespace exact = parprims::detail::exact;
namespace executor = parprims::detail::simt::executor;
using parprims::detail::fixed_segments;
using parprims::detail::offset_segments;
using parprims::detail::scan_kind;

/// n values in memory for kernels, `offset` values after an address that is a multiple of 256.
template <class T>
class kernel_place {
public:
    kernel_place(std::size_t n, std::size_t offset) : n_(n), offset_(offset), bytes_((offset + n) * sizeof(T)) {}
    kernel_place(const std::vector<T>& values, std::size_t offset) : kernel_place(values.size(), offset)
    {
        if (n_ != 0)
            std::memcpy(static_cast<void*>(data()), values.data(), n_ * sizeof(T));
    }
    T* data() { return reinterpret_cast<T*>(bytes_.data() + offset_ * sizeof(T)); }
    const T* values() { return data(); }
    std::vector<T> read() { return {data(), data() + n_}; }

private:
    std::size_t n_;
    std::size_t offset_;
    executor::buffer<unsigned char> bytes_;
};

/// Blocks that wait give up soon, so that fewer blocks may be resident than a GPU has.
class launcher : public executor::launcher {
public:
    using executor::launcher::launcher;

    template <class Kernel>
    void launch(const device::launch_shape& shape, Kernel kernel)
    {
        if constexpr (requires { kernel.max_spins; })
            kernel.max_spins = 2;
        executor::launcher::launch(shape, kernel);
    }
};

template <class V, class T, class Op>
struct kernel_calls {
    /// Another schedule for each row.
    static launcher launcher_of(const row& r)
    {
        executor::options how;
        how.order = static_cast<executor::schedule>(r.seed % 4);
        how.blocks = static_cast<executor::block_order>(r.seed % 3);
        how.resident_blocks = 1 + static_cast<unsigned>(r.seed % 5);
        how.seed = r.seed;
        return launcher(how, {.multiprocessors = 2, .architecture = r.seed % 2 == 0 ? 90 : 89});
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
            device::enqueue_exact_sum<exact::numbers<V>>(on, x.values(), r.n, out.data(), init, pp::identity{});
        else
            device::enqueue_reduce(on, pp::reduce_config{}, x.values(), r.n, out.data(), init, Op{}, pp::identity{});
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
        device::enqueue_exact_sum<terms>(on, pairs, r.n, out.data(), init_of<T>(r), product{});
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
            device::enqueue_scan<Kind>(on, pp::scan_config{}, x.values(), r.n, out.data(),
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
            device::enqueue_scan_by_key<Kind, T>(on, keys.values(), r.n, x.values(), out.data(), &init, pp::equal_to{},
                                                 Op{});
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
            device::enqueue_exact_by_key<exact::numbers<V>, T>(on, keys.values(), r.n, x.values(), keys_out.data(),
                                                               out.data(), pp::equal_to{}, to);
        else
            device::enqueue_reduce_by_key<T>(on, keys.values(), r.n, x.values(), keys_out.data(), out.data(), to,
                                             pp::equal_to{}, Op{});
        std::vector<T> totals = out.read();
        totals.resize(*count.data());
        return totals;
    }

    /// `call` gets the segments.
    template <class Call>
    static void segmented(const row& r, Call call)
    {
        if (!r.has_offsets())
            return call(fixed_segments::of(r.n, r.length()));
        kernel_place<std::uint32_t> offsets(offsets_of(r), 0);
        call(offset_segments<const std::uint32_t*>{offsets.values(), r.n, offsets_of(r).size() - 1});
    }

    static std::vector<T> segmented_reduce(const row& r)
    {
        auto on = launcher_of(r);
        auto x = elements(r);
        std::vector<T> result;
        segmented(r, [&](const auto& segments) {
            auto out = results(segments.count, r);
            if (segments.count == 0)
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
        auto on = launcher_of(r);
        auto x = elements(r);
        auto out = results(r.n, r);
        const T init = init_of<T>(r);
        segmented(r, [&](const auto& segments) {
            if (r.n != 0)
                device::enqueue_segmented_scan<Kind, T>(on, segments, r.n, x.values(), out.data(), &init, Op{});
        });
        return out.read();
    }
    static std::vector<T> segmented_inclusive_scan(const row& r) { return segmented_scan<scan_kind::inclusive>(r); }
    static std::vector<T> segmented_exclusive_scan(const row& r) { return segmented_scan<scan_kind::exclusive>(r); }
};

codes<kernel_calls> all_codes()
{
    using pp::plus;
    codes<kernel_calls> all;
    all.reduction<plus, float>().reduction<plus, double>().reduction<plus, float, double>().reduction<plus, f32x3>();
    all.reduction<then, map8>().exact_sums<float>().exact_sums<double>().exact_sums<double, float>();
    all.scans<plus, float>().scans<plus, double>().scans<then, map12>().by_key<plus, float>().by_key<then, map12>();
    all.segmented_reduction<plus, float>().segmented_reduction<then, map8>().segmented_scans<plus, float>();
    all.reduction<skew, std::uint8_t>().scans<skew, std::uint8_t>().by_key<skew, u64x2>();
    all.reduction<skew, u64x8>().reduction<pp::minimum_number, float>();
    return all;
}

}  // namespace

int main(int count, char** arguments)
{
    return check_rows(count, arguments, all_codes(), false, [](const row& r) { return r.n <= 33000; });
}
