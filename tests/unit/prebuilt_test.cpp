/// @file
/// @brief  The forms in which arguments of plain C++ reach the compiled library.
#include <doctest/doctest.h>

#include <parprims/detail/arrays.hpp>
#include <parprims/detail/device/call/library.hpp>

#include <cstdint>
#include <type_traits>

namespace {

using parprims::detail::scan_init;

template <class T>
using form = parprims::detail::device::prebuilt_form<scan_init<T>, true>;

}  // namespace

TEST_CASE("the lines of an array keep their places, and have pointers to what is not const")
{
    using parprims::detail::checked_lines;
    const float x[6] = {};
    float y[3] = {};
    checked_lines<const float*, float*> lines{};
    lines.input.first = x;
    lines.input.rank = 2;
    lines.input.extents[1] = 3;
    lines.out.first = y;
    lines.out.lowest = -2;
    lines.lines = {};
    lines.lines.line.add({2, 3, 0});
    lines.out_step = 5;
    const checked_lines<float*, float*> converted =
        parprims::detail::device::prebuilt_form<checked_lines<const float*, float*>, true>::convert(lines);
    CHECK(converted.input.first == x);
    CHECK(converted.input.rank == 2);
    CHECK(converted.input.extents[1] == 3);
    CHECK(converted.out.first == y);
    CHECK(converted.out.lowest == -2);
    CHECK(converted.lines.line.count == 1);
    CHECK(converted.out_step == 5);
}

TEST_CASE("the init of a scan has the address of a value that lives as long as it does")
{
    const float f = 2.5f;
    const double d = -7;
    const int i = -3;
    const auto of_float = form<float>::convert({&f});
    const auto of_double = form<double>::convert({&d});
    const auto of_int = form<int>::convert({&i});
    CHECK(of_float.scan_init<float>::value == &of_float.value);
    CHECK(of_double.scan_init<double>::value == &of_double.value);
    CHECK(of_int.scan_init<std::uint32_t>::value == &of_int.value);
    CHECK(!std::is_copy_constructible_v<decltype(of_float)>);  // a copy has the address of another one's value
    CHECK(of_float.value == 2.5f);
    CHECK(of_double.value == -7.0);
    CHECK(of_int.value == static_cast<std::uint32_t>(-3));
    CHECK(form<float>::convert({nullptr}).scan_init<float>::value == nullptr);
}
