// The golden hashes on the CPU. One file, compiled twice: with the compiled library, and header-only. The compiled library has no code
// for types and operators of a user's own, so the second program leaves these rows to the first.
#include "calls.hpp"
#include "program.hpp"

#include <parprims/execution.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace {

using namespace contract;

/// n values, `offset` values after an address that is a multiple of 256.
template <class T>
class host_place {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    host_place(std::size_t n, std::size_t offset)
        : n_(n), offset_(offset), memory_(static_cast<T*>(::operator new((offset + n) * sizeof(T) + 1, alignment)))
    {
    }
    T* begin() const { return memory_.get() + offset_; }
    T* end() const { return begin() + n_; }
    std::vector<T> read() const { return {begin(), end()}; }

private:
    static constexpr std::align_val_t alignment{256};
    struct release {
        void operator()(T* memory) const { ::operator delete(memory, alignment); }
    };
    std::size_t n_;
    std::size_t offset_;
    std::unique_ptr<T, release> memory_;
};

struct host_memory {
    /// All cores, or a few threads: it cannot be seen in the bits.
    static auto policy(const row& r) { return pp::host.threads(static_cast<unsigned>(r.seed % 3)); }

    template <class T>
    static host_place<T> place(const std::vector<T>& values, std::size_t offset)
    {
        host_place<T> result(values.size(), offset);
        if (!values.empty())
            std::memcpy(static_cast<void*>(result.begin()), values.data(), values.size() * sizeof(T));
        return result;
    }
    template <class T>
    static host_place<T> place_of_segments(const std::vector<T>& values, std::size_t offset)
    {
        return place(values, offset);
    }
    template <class T>
    static host_place<T> offsets(const std::vector<T>& values)
    {
        return place(values, 0);
    }
    template <class T>
    static host_place<T> room(std::size_t n, std::size_t offset)
    {
        return {n, offset};
    }
};

template <class V, class T, class Op>
using host_calls = public_calls<host_memory, V, T, Op>;

void add_numbers(codes<host_calls>& all)
{
    using pp::maximum;
    using pp::maximum_number;
    using pp::minimum;
    using pp::minimum_number;
    using pp::multiplies;
    using pp::plus;
    all.reduction<plus, float>().reduction<minimum, float>().reduction<maximum, float>();
    all.reduction<plus, double>().reduction<minimum, double>().reduction<maximum, double>();
    all.reduction<multiplies, float>().reduction<multiplies, double>();
    all.reduction<plus, std::int8_t>().reduction<plus, std::uint8_t>().reduction<plus, std::int16_t>();
    all.reduction<plus, std::int32_t>().reduction<plus, std::uint32_t>();
    all.reduction<plus, std::int64_t>().reduction<plus, std::uint64_t>();
    all.reduction<maximum, std::int32_t>().reduction<minimum, std::uint64_t>();
    all.reduction<plus, float, double>().reduction<plus, double, float>().reduction<plus, std::int8_t, std::int32_t>();
    all.reduction<minimum_number, float>().reduction<maximum_number, float>().reduction<pp::bit_xor, std::uint32_t>();
    all.transform_reductions<float>().transform_reductions<double>().transform_reductions<float, double>();
    all.exact_sums<float>().exact_sums<double>().exact_sums<float, double>().exact_sums<double, float>();
    all.weights<float>().weights<double>().weights<float, double>().weights<double, float>();
    all.weights<std::int32_t, double>().weights<std::uint8_t, float>();
    all.weights_along<float>().weights_along<double>().weights_along<float, double>();
    all.scans<plus, float>().scans<plus, double>().scans<maximum, float>().scans<minimum, double>();
    all.scans<plus, std::int8_t>().scans<plus, std::int32_t>().scans<plus, std::uint64_t>();
    all.scans<multiplies, float>().scans<plus, float, double>().scans<plus, std::int8_t, std::int32_t>();
    all.transform_scans<float>().transform_scans<float, double>();
    all.by_key<plus, float>().by_key<plus, double>().by_key<maximum, float>().by_key<plus, std::int8_t>();
    all.exclusive_by_key<plus, float, double>();
    all.segmented_reduction<minimum_number, float>().segmented_reduction<maximum_number, float>();
    all.segmented_reduction<plus, float>().segmented_reduction<plus, double>().segmented_reduction<minimum, float>();
    all.segmented_reduction<plus, float, double>();
    all.segmented_scans<plus, float>().segmented_scans<plus, double>();
    all.along<plus, float>().along<plus, double>().along<plus, float, double>();
}

#if !defined(PARPRIMS_HEADER_ONLY)
constexpr bool has_own_types = true;
void add_own_types(codes<host_calls>& all)
{
    using pp::plus;
    all.reduction<plus, f32x3>().reduction<plus, f64x3>().reduction<then, map8>();
    all.reduction<skew, std::uint8_t>().reduction<skew, std::uint16_t>();
    all.reduction<skew, u64x2>().reduction<skew, u64x8>();
    all.scans<plus, f64x3>().scans<then, map8>().scans<then, map12>();
    all.scans<skew, std::uint8_t>().scans<skew, std::uint16_t>().scans<skew, u64x2>().scans<skew, u64x8>();
    all.by_key<then, map8>().by_key<then, map12>().by_key<plus, f64x3>();
    all.by_key<skew, std::uint8_t>().by_key<skew, std::uint16_t>().by_key<skew, u64x2>().by_key<skew, u64x8>();
    all.segmented_reduction<plus, f32x3>().segmented_reduction<then, map8>();
    all.segmented_scans<then, map12>().along<then, map8>().along<skew, u64x2>();
}
#else
constexpr bool has_own_types = false;
void add_own_types(codes<host_calls>&) {}
#endif

}  // namespace

int main(int count, char** arguments)
{
    codes<host_calls> all;
    add_numbers(all);
    add_own_types(all);
    return check_rows(count, arguments, all, has_own_types, [](const row&) { return true; });
}
