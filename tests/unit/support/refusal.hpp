/// @file
/// @brief  What bad input gets: a typed error that names things, and a library that works afterwards.
#pragma once

#include <doctest/doctest.h>

#include <parprims/copy_if.hpp>
#include <parprims/error.hpp>
#include <parprims/extremes.hpp>
#include <parprims/histogram.hpp>
#include <parprims/reduce.hpp>
#include <parprims/scan.hpp>
#include <parprims/transform.hpp>

#include "backend.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using number = std::uint32_t;

struct twice {
    PARPRIMS_HOST_DEVICE number operator()(number x) const { return 2 * x; }
};

struct is_one {
    PARPRIMS_HOST_DEVICE bool operator()(number x) const { return x == 1; }
};

/// `call()` throws an invalid_argument of `function` for `argument`, with `reason` in its text.
template <class Call>
void check_refused(const std::string& function, const std::string& argument, const std::string& reason, Call call)
{
    CAPTURE(function);
    try {
        call();
        FAIL_CHECK("no error");
    } catch (const parprims::invalid_argument& error) {
        const std::string text = error.what();
        CAPTURE(text);
        CHECK(error.function() == function);
        CHECK(error.argument() == argument);
        CHECK(text.find(function + ": " + argument + ": ") == 0);
        CHECK(text.find(reason) != std::string::npos);
    }
}

/// Every function that reads a range and gives a value: `use(name, call)`.
template <class Policy, class Use>
void each_value_function(const Policy& policy, const number* first, const number* last, Use use)
{
    namespace pp = parprims;
    use("parprims::reduce", [=] { (void)pp::reduce(policy, first, last, number{0}); });
    use("parprims::transform_reduce",
        [=] { (void)pp::transform_reduce(policy, first, last, number{0}, pp::plus{}, twice{}); });
    use("parprims::max_element", [=] { (void)pp::max_element(policy, first, last); });
}

/// Every scan.
template <class Policy, class Use>
void each_scan(const Policy& policy, const number* first, const number* last, number* out, Use use)
{
    namespace pp = parprims;
    use("parprims::inclusive_scan", [=] { pp::inclusive_scan(policy, first, last, out); });
    use("parprims::inclusive_scan", [=] { pp::inclusive_scan(policy, first, last, out, pp::plus{}, number{1}); });
    use("parprims::exclusive_scan", [=] { pp::exclusive_scan(policy, first, last, out, number{1}); });
    use("parprims::transform_inclusive_scan",
        [=] { pp::transform_inclusive_scan(policy, first, last, out, pp::plus{}, twice{}); });
    use("parprims::transform_inclusive_scan",
        [=] { pp::transform_inclusive_scan(policy, first, last, out, pp::plus{}, twice{}, number{1}); });
    use("parprims::transform_exclusive_scan",
        [=] { pp::transform_exclusive_scan(policy, first, last, out, number{1}, pp::plus{}, twice{}); });
}

/// Every function that reads a range and writes to memory.
template <class Policy, class Use>
void each_writing_function(const Policy& policy, const number* first, const number* last, number* out, Use use)
{
    namespace pp = parprims;
    use("parprims::reduce_into", [=] { pp::reduce_into(policy, first, last, out, number{0}); });
    use("parprims::transform_reduce_into",
        [=] { pp::transform_reduce_into(policy, first, last, out, number{0}, pp::plus{}, twice{}); });
    use("parprims::max_element_into", [=] { pp::max_element_into(policy, first, last, out); });
    use("parprims::transform", [=] { pp::transform(policy, first, last, out, twice{}); });
    each_scan(policy, first, last, out, use);
    use("parprims::histogram", [=] { pp::histogram(policy, first, last, pp::integer_axis<number>(0, 5), out); });
}

template <class Policy, class Use>
void each_function(const Policy& policy, const number* first, const number* last, number* out, Use use)
{
    each_value_function(policy, first, last, use);
    each_writing_function(policy, first, last, out, use);
}

/// A good call of each function gives what it should.
template <class Backend>
void check_works()
{
    namespace pp = parprims;
    const auto policy = Backend::policy();
    const auto x = place<Backend>(std::vector<number>(100000, 1));
    const auto out = poisoned<Backend, number>(x.size());
    CHECK(pp::reduce(policy, x.begin(), x.end(), number{0}) == x.size());
    pp::reduce_into(policy, x.begin(), x.end(), out.begin(), number{3});
    CHECK(out.read().front() == x.size() + 3);
    pp::inclusive_scan(policy, x.begin(), x.end(), out.begin());
    CHECK(out.read().back() == x.size());
    pp::histogram(policy, x.begin(), x.end(), pp::integer_axis<number>(0, 5), out.begin());
    CHECK(out.read()[1] == x.size());
    CHECK(pp::max_element(policy, x.begin(), x.end()) == x.begin());
    CHECK(pp::copy_if(policy, x.begin(), x.end(), out.begin(), is_one{}) == out.end());
}
