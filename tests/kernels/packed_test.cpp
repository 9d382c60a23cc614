// Words of several small integers, against the integers one by one.
#include <parprims/detail/numeric/packed.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <random>

namespace numeric = parprims::detail::numeric;

namespace {

std::uint32_t byte(std::uint32_t word, unsigned k)
{
    return word >> 8 * k & 0xff;
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
        for (unsigned k = 0; k < 4; ++k)
            dot += byte(a, k) * byte(b, k);
        CHECK(numeric::dot_bytes(a, b, c) == dot);
    }
}
