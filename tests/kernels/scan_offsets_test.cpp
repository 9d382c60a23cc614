// Scans whose input and output begin at any place in a packet of 16 bytes, against the order contract written down serially.
#include <parprims/detail/simt/simt.hpp>
#include <parprims/iterator.hpp>
#include <parprims/launch_config.hpp>
#include <parprims/tuple.hpp>

#include <doctest/doctest.h>

#include "../unit/support/order_oracle.hpp"
#include "support/run.hpp"

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

using namespace kernel_test;
using parprims::plus;
using parprims::scan_config;
using parprims::three_phase_scan;

namespace {

/// 12 bytes: no whole number of packets.
struct triple {
    std::uint32_t x, y, z;

    friend bool operator==(const triple&, const triple&) = default;
    friend std::ostream& operator<<(std::ostream& out, const triple& value) { return out << value.x; }
};

/// 24 bytes, which may begin at any multiple of four.
struct sextet {
    std::uint32_t words[6];

    friend bool operator==(const sextet&, const sextet&) = default;
    friend std::ostream& operator<<(std::ostream& out, const sextet& value) { return out << value.words[0]; }
};

template <class T>
T value_of(std::size_t i)
{
    const auto word = static_cast<std::uint32_t>(mix(i + 1) >> 20);
    if constexpr (std::is_same_v<T, triple>)
        return {word, word + 1, ~word};
    else if constexpr (std::is_same_v<T, sextet>)
        return {{word, word + 1, ~word, 3, word * 5, 7}};
    else if constexpr (std::is_arithmetic_v<T>)
        return static_cast<T>(word);
    else
        return element<T>(i);
}

/// Neither associative nor commutative.
struct mixed {
    template <class T>
    T operator()(const T& a, const T& b) const
    {
        if constexpr (std::is_same_v<T, triple>)
            return {a.x * 3 + b.x, a.y * 5 ^ b.y, a.z + b.x * 7};
        else if constexpr (std::is_same_v<T, sextet>)
            return {{a.words[0] * 3 + b.words[0], a.words[1] * 5 ^ b.words[5], a.words[2] + b.words[1] * 7,
                     a.words[3] - b.words[4], b.words[3], a.words[5] + b.words[2]}};
        else
            return hash{}(a, b);
    }
};

/// An array at any place, whose neighbours must stay as they are.
template <class T>
class framed {
public:
    framed(std::size_t n, std::size_t offset) : n_(n), offset_(offset), memory_(offset + n * sizeof(T) + behind) {}

    T* data() { return reinterpret_cast<T*>(memory_.data() + offset_); }

    bool is_framed() const
    {
        bool is = true;
        for (std::size_t i = 0; i < offset_; ++i)
            is = is && memory_.data()[i] == 0xA5;
        for (std::size_t i = 0; i < behind; ++i)
            is = is && memory_.data()[offset_ + n_ * sizeof(T) + i] == 0xA5;
        return is;
    }

private:
    static constexpr std::size_t behind = 16;
    std::size_t n_;
    std::size_t offset_;
    memory<unsigned char> memory_;
};

/// The input as it is.
struct as_it_is {
    template <class Source>
    static const Source* iterator(const Source* first)
    {
        return first;
    }
};

/// The input through a function.
template <class T>
struct changed {
    struct function {
        template <class Source>
        T operator()(const Source& x) const
        {
            return static_cast<T>(x * 7 + 3);
        }
    };
    template <class Source>
    static auto iterator(const Source* first)
    {
        return parprims::transform_iterator(first, function{});
    }
};

/// Whether values are scanned in three phases, too. These read tiles as one pass does, so unsigned types of 1 to 4 bytes are not.
template <class T>
constexpr bool has_three_phases = !std::is_unsigned_v<T> || sizeof(T) == 8;

std::uint64_t run_number = 0;

/// Scans the first n elements, which begin `in` bytes behind a boundary of 16 bytes, to `out` bytes behind one. Where these
/// boundaries lie in a line of 128 bytes differs from run to run.
template <scan_kind Kind, class T, class Source, class Read, class Op, class Config>
void check(const memory<Source>& values, const std::vector<T>& expected, std::size_t n, std::size_t in, std::size_t out,
           bool in_place, const Config& config)
{
    ++run_number;
    in += run_number % 8 * 16;
    out += run_number / 8 % 8 * 16;
    memory<Source> exact(n, in);  // nothing behind it is read
    framed<T> output(n, out);
    framed<Source> same(n, in);
    Source* const input = in_place ? same.data() : exact.data();
    std::memcpy(static_cast<void*>(input), values.data(), n * sizeof(Source));
    T* const target = in_place ? reinterpret_cast<T*>(input) : output.data();
    CAPTURE(n);
    CAPTURE(in);
    CAPTURE(out);
    CAPTURE(in_place);
    CAPTURE(parprims::to_string(config));
    CAPTURE(run_number);
    const std::optional<T> init = Kind == scan_kind::exclusive ? std::optional(value_of<T>(77)) : std::nullopt;
    scan<Kind, T>(schedule_of(run_number), config, {1 + static_cast<unsigned>(run_number % 3)},
                  Read::iterator(static_cast<const Source*>(input)), n, target, init, Op{}, parprims::identity{});
    CHECK(output.is_framed());
    CHECK(same.is_framed());
    if (std::memcmp(static_cast<const void*>(target), expected.data(), n * sizeof(T)) == 0)
        return;
    for (std::size_t i = 0; i < n; ++i)
        if (!same_bits(target[i], expected[i])) {
            CAPTURE(i);
            REQUIRE(target[i] == expected[i]);
        }
}

/// Every pair of places, each with a few of the sizes, in turn through a stage and in registers, and to the input's place.
template <scan_kind Kind, class T, class Op, class Source = T, class Read = as_it_is>
void check_places()
{
    constexpr std::size_t row = order::row<T>;
    constexpr std::size_t tile = order::tile<T>;
    const std::size_t sizes[] = {4 * row,     tile,    2 * tile - 3,       tile + 1,
                                 row + 1,     8 * row, 2 * tile + 4 * row, row,
                                 3 * row - 1, 1,       tile - row,         12 * row + 5};
    const std::size_t most = 2 * tile + 4 * row;
    memory<Source> values(most);
    for (std::size_t i = 0; i < most; ++i)
        std::construct_at(values.data() + i, value_of<Source>(i));
    const std::optional<T> init = Kind == scan_kind::exclusive ? std::optional(value_of<T>(77)) : std::nullopt;
    const auto expected = order_oracle::scan<Kind, T>(Read::iterator(static_cast<const Source*>(values.data())), most,
                                                      init, Op{}, parprims::identity{});
    const std::size_t step = has_tsan ? 3 : 1;
    for (std::size_t in = 0; in < 16 / alignof(Source); in += step)
        for (std::size_t out = 0; out < 16 / alignof(T); out += step)
            for (unsigned turn = 0; turn < 2; ++turn) {
                const std::size_t n =
                    sizes[(in / step + 5 * (out / step) + 7 * turn) % (has_tsan ? 4 : std::size(sizes))];
                const auto at = [&](bool in_place, const auto& config) {
                    check<Kind, T, Source, Read, Op>(values, expected, n, in * alignof(Source), out * alignof(T),
                                                     in_place, config);
                };
                at(false, scan_config{64, 1, 2 + turn, 0});
                if (sizeof(T) <= 16)
                    at(false, scan_config{turn == 0 ? 64u : 128u, 1, 2, 1000});
                if (std::is_same_v<T, Source> && out == 0) {
                    at(true, scan_config{64, 1, 2, 0});
                    at(true, scan_config{turn == 0 ? 64u : 128u, 1, 2, 1000});
                }
                if constexpr (has_three_phases<T>)
                    if ((in + out) % 5 == 0)
                        at(false, three_phase_scan{64, 1});
            }
}

/// A function of the elements of two arrays.
template <class T>
struct both {
    template <class Pair>
    T operator()(const Pair& pair) const
    {
        return static_cast<T>(parprims::get<0>(pair) * 3 - parprims::get<1>(pair));
    }
};

/// Scans n elements from `first` on to `target`: in a stage, in registers and in three phases. `restore` undoes what scans in
/// place do to the input.
template <class T, class Op, class Iterator, class Transform, class Restore>
void check_iterator(Iterator first, std::size_t n, T* target, Transform transform, Restore restore)
{
    const std::vector<T> expected =
        order_oracle::scan<scan_kind::inclusive, T>(first, n, std::nullopt, Op{}, transform);
    const auto at = [&](const auto& config) {
        ++run_number;
        CAPTURE(n);
        CAPTURE(run_number);
        CAPTURE(parprims::to_string(config));
        scan<scan_kind::inclusive, T>(schedule_of(run_number), config, {1 + static_cast<unsigned>(run_number % 3)},
                                      first, n, target, std::nullopt, Op{}, transform);
        REQUIRE(std::memcmp(static_cast<const void*>(target), expected.data(), n * sizeof(T)) == 0);
        restore();
    };
    at(scan_config{64, 1, 2 + static_cast<unsigned>(n % 3), 0});
    at(scan_config{64, 1, 2, 1000});
    if constexpr (has_three_phases<T>)
        if (n % 2 == 0)
            at(three_phase_scan{64, 1});
}

/// Two arrays that begin anywhere in a packet; nothing behind them is read. Where possible, the output replaces the first one.
template <class T, class Op, class A, class B, bool IsFunctionOfScan = false>
void check_zipped()
{
    constexpr std::size_t row = order::row<T>;
    const std::size_t sizes[] = {2 * order::tile<T> + 4 * row, 9 * row, 3 * row + 7, order::tile<T> + row - 1};
    const std::size_t step = has_tsan ? 5 : 1;
    for (std::size_t a = 0; a < 16 / sizeof(A); a += step)
        for (std::size_t b = 0; b < 16 / sizeof(B); b += has_tsan ? 3 : 16 / sizeof(A) > 4 ? 5 : 1) {
            const std::size_t n = sizes[(a + b) % std::size(sizes)];
            memory<A> x(n, a * sizeof(A));
            memory<B> y(n, b * sizeof(B));
            memory<T> output(n);
            const auto fill = [&] {
                for (std::size_t i = 0; i < n; ++i) {
                    x[i] = value_of<A>(i);
                    y[i] = value_of<B>(i + 12345);
                }
            };
            fill();
            T* target = output.data();
            if constexpr (std::is_same_v<T, A>)
                if (b % 2 == 0)
                    target = x.data();
            const A* const first = std::as_const(x).data();
            const parprims::zip_iterator zip(first, y.data());
            if constexpr (std::is_same_v<T, float>)
                check_iterator<T, Op>(parprims::transform_iterator(parprims::zip_iterator(first, y.data(), first),
                                                                   both<T>{}),
                                      n, target, parprims::identity{}, fill);
            if constexpr (IsFunctionOfScan)
                check_iterator<T, Op>(zip, n, target, both<T>{}, fill);
            else
                check_iterator<T, Op>(parprims::transform_iterator(zip, both<T>{}), n, target, parprims::identity{},
                                      fill);
        }
}

/// Every third element, forwards and backwards.
template <class T>
void check_strided()
{
    for (const std::size_t n : {2 * order::tile<T> + 5, std::size_t{3 * order::row<T>}, order::tile<T>}) {
        memory<T> x(3 * n - 2, n % 16 / sizeof(T) * sizeof(T));
        memory<T> output(n);
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = value_of<T>(i);
        const T* const begin = std::as_const(x).data();
        const auto keep = [] {};
        check_iterator<T, mixed>(parprims::strided_iterator(begin, 3), n, output.data(), parprims::identity{}, keep);
        check_iterator<T, mixed>(parprims::strided_iterator(begin + x.size() - 1, -3), n, output.data(),
                                 parprims::identity{}, keep);
    }
}

}  // namespace

TEST_CASE("a scan of small integers keeps the order contract at every pair of places")
{
    check_places<scan_kind::exclusive, std::int8_t, plus>();
    if constexpr (!has_tsan)
        check_places<scan_kind::inclusive, std::uint16_t, plus>();
}

TEST_CASE_TEMPLATE("a scan keeps the order contract at every pair of places", T, std::uint8_t, float, std::uint64_t,
                   triple, sextet)
{
    if constexpr (!has_tsan || sizeof(T) < 24)
        check_places<scan_kind::inclusive, T, mixed>();
}

TEST_CASE("a scan of a function of small integers keeps the order contract at every pair of places" *
          doctest::skip(has_tsan))
{
    if constexpr (!has_tsan) {
        check_places<scan_kind::inclusive, std::int8_t, plus, std::int8_t, changed<std::int8_t>>();
        check_places<scan_kind::exclusive, std::uint16_t, plus, std::int16_t, changed<std::uint16_t>>();
    }
}

TEST_CASE("a scan of a function of narrower elements keeps the order contract at every pair of places")
{
    if constexpr (!has_tsan)
        check_places<scan_kind::inclusive, std::uint32_t, mixed, std::uint8_t, changed<std::uint32_t>>();
    check_places<scan_kind::inclusive, std::uint64_t, mixed, float, changed<std::uint64_t>>();
}

TEST_CASE("a scan of a function of wider elements keeps the order contract at every pair of places" *
          doctest::skip(has_tsan))
{
    if constexpr (!has_tsan)
        check_places<scan_kind::inclusive, std::uint8_t, mixed, std::uint64_t, changed<std::uint8_t>>();
}

TEST_CASE("a scan of intervals joins them at every pair of places")
{
    check_places<scan_kind::inclusive, checked<16>, joined>();
}

TEST_CASE("a scan of a function of two arrays keeps the order contract wherever they begin")
{
    check_zipped<std::uint8_t, mixed, std::uint8_t, std::int8_t, true>();
    check_zipped<float, mixed, std::uint8_t, float>();
    if constexpr (!has_tsan) {
        check_zipped<std::int8_t, plus, std::int8_t, std::int8_t>();
        check_zipped<std::int16_t, plus, std::int16_t, std::int8_t>();
        check_zipped<std::uint64_t, mixed, std::uint64_t, std::uint32_t>();
    }
}

TEST_CASE_TEMPLATE("a scan of every third element, forwards or backwards, keeps the order contract", T, float,
                   std::uint64_t)
{
    if constexpr (!has_tsan || sizeof(T) == 4)
        check_strided<T>();
}
