// Words of several small integers, against the integers one by one.
#include <parprims/detail/device/scan/packed_sums.hpp>
#include <parprims/detail/numeric/packed.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <random>

namespace device = parprims::detail::device;
namespace numeric = parprims::detail::numeric;
namespace simt = parprims::detail::simt;

namespace {

std::uint32_t byte(std::uint32_t word, unsigned k)
{
    return word >> 8 * k & 0xff;
}

/// The answers of a lane, one by one.
template <class T, bool Exclusive>
void check_answers(const simt::packet<16>& values, std::uint32_t before)
{
    T sum = static_cast<T>(before);
    const simt::packet<16> answers = device::packed_scan<T, Exclusive>(values, before);
    for (unsigned k = 0; k < 16 / sizeof(T); ++k) {
        CAPTURE(k);
        const T next = static_cast<T>(sum + simt::element<T>(values, k));
        CHECK(simt::element<T>(answers, k) == (Exclusive ? sum : next));
        sum = next;
    }
    CHECK(static_cast<T>(before + device::packed_total<T>(values)) == sum);
}

}  // namespace

TEST_CASE("operations on packed words are those on their parts")
{
    std::mt19937 random(1);
    for (int i = 0; i < 1000; ++i) {
        const auto a = static_cast<std::uint32_t>(random());
        const auto b = static_cast<std::uint32_t>(random());
        const auto c = static_cast<std::uint32_t>(random());
        CAPTURE(a);
        CAPTURE(b);
        CAPTURE(c);
        std::uint32_t dot = c;
        std::uint32_t permuted = 0;
        for (unsigned k = 0; k < 4; ++k) {
            dot += byte(a, k) * byte(b, k);
            const unsigned source = c >> 4 * k & 7;
            permuted |= byte(source < 4 ? a : b, source % 4) << 8 * k;
        }
        CHECK(numeric::dot_bytes(a, b, c) == dot);
        CHECK(numeric::permute_bytes(a, b, c & 0x7777) == permuted);
        CHECK((numeric::add_halves(a, b) & 0xffff) == ((a & 0xffff) + (b & 0xffff)) % 0x10000);
        CHECK((numeric::add_halves(a, b) >> 16) == ((a >> 16) + (b >> 16)) % 0x10000);
    }
}

TEST_CASE_TEMPLATE("running sums of packed integers are those of the integers", T, std::int8_t, std::uint8_t,
                   std::int16_t, std::uint16_t)
{
    std::mt19937 random(2);
    for (int i = 0; i < 200; ++i) {
        simt::packet<16> values;
        for (auto& word : values.words)
            word = static_cast<std::uint32_t>(i == 0 ? 0xffffffff : random());
        const auto before = static_cast<std::uint32_t>(random());  // only the low bits count
        CAPTURE(i);
        CAPTURE(before);
        check_answers<T, false>(values, before);
        check_answers<T, true>(values, before);
    }
}
