/// @file
/// @brief  Bad arguments: refused by name before anything is read or written, and the next call works.
#include <doctest/doctest.h>

#include <parprims/parprims.hpp>

#include "support/backend.hpp"
#include "support/data.hpp"
#include "support/refusal.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace pp = parprims;

namespace {

/// n elements from a null pointer on.
const number* behind_null(std::size_t n)
{
    return reinterpret_cast<const number*>(n * sizeof(number));
}

struct everything_in_bin_0 {
    PARPRIMS_HOST_DEVICE int operator()(std::uint64_t) const { return 0; }
};

/// A value whose copies are counted.
struct counted {
    counted() { ++live; }
    explicit counted(int v) : value(v) { ++live; }
    counted(const counted& other) : value(other.value) { ++live; }
    counted& operator=(const counted&) = default;
    ~counted() { --live; }

    static inline std::atomic<int> live{0};
    int value = 0;
};

/// An axis of the user's own.
struct no_bins {
    PARPRIMS_HOST_DEVICE std::size_t bins() const { return 0; }
    PARPRIMS_HOST_DEVICE std::size_t extent() const { return 0; }
    PARPRIMS_HOST_DEVICE bool has_flow() const { return false; }
    PARPRIMS_HOST_DEVICE std::size_t slot(number) const { return 0; }
};

struct accident {};

/// Whether `call()` throws one. Not CHECK_THROWS_AS in a generic lambda, which nvcc with g++ 13 does not compile.
template <class Call>
bool has_accident(const Call& call)
{
    try {
        call();
    } catch (const accident&) {
        return true;
    }
    return false;
}

}  // namespace

TEST_CASE_TEMPLATE("a null input is refused", Backend, PARPRIMS_BACKENDS)
{
    const auto out = poisoned<Backend, number>(5);
    const number* const nowhere = nullptr;
    each_function(Backend::policy(), nowhere, behind_null(5), out.begin(), [](const char* function, auto call) {
        check_refused(function, "first", "null pointer with n = 5", call);
    });
    CHECK(out.untouched());
    check_works<Backend>();
}

TEST_CASE_TEMPLATE("a null output is refused", Backend, PARPRIMS_BACKENDS)
{
    const auto x = place<Backend>(std::vector<number>(7, 1));
    number* const nowhere = nullptr;
    each_writing_function(Backend::policy(), x.begin(), x.end(), nowhere, [](const std::string& function, auto call) {
        const bool counts = function == "parprims::histogram";
        const bool one = function.find("_into") != std::string::npos;
        check_refused(function, counts ? "counts" : "out",
                      counts ? "null pointer with n = 5"
                      : one  ? "null pointer with n = 1"
                             : "null pointer with n = 7",
                      call);
    });
    check_works<Backend>();
}

TEST_CASE_TEMPLATE("a null output is refused even where there is no input", Backend, PARPRIMS_BACKENDS)
{
    const number* const empty = nullptr;
    number* const nowhere = nullptr;
    check_refused("parprims::reduce_into", "out", "null",
                  [&] { pp::reduce_into(Backend::policy(), empty, empty, nowhere, number{0}); });
    check_refused("parprims::histogram", "counts", "null",
                  [&] { pp::histogram(Backend::policy(), empty, empty, pp::integer_axis<number>(0, 5), nowhere); });
}

TEST_CASE_TEMPLATE("an input that ends before it begins is refused", Backend, PARPRIMS_BACKENDS)
{
    const auto x = place<Backend>(std::vector<number>(9, 1));
    const auto out = poisoned<Backend, number>(9);
    each_function(Backend::policy(), x.begin() + 8, x.begin() + 5, out.begin(), [](const char* function, auto call) {
        check_refused(function, "last", "comes before first, by 3", call);
    });
    CHECK(out.untouched());
    const pp::counting_iterator<number> numbers(10);
    check_refused("parprims::reduce", "last", "comes before first, by 2",
                  [&] { (void)pp::reduce(Backend::policy(), numbers, numbers + -2, number{0}); });
    check_works<Backend>();
}

TEST_CASE_TEMPLATE("a scan whose output overlaps its input in part is refused", Backend, PARPRIMS_BACKENDS)
{
    const std::vector<number> values = small_values<number>(5000);
    const auto both = place_guarded<Backend>(values);
    for (const std::ptrdiff_t shift : {-1999, -100, -1, 1, 100, 1999}) {
        CAPTURE(shift);
        const number* const first = both.begin() + 2500;
        each_scan(Backend::policy(), first, first + 2000, both.begin() + 2500 + shift,
                  [](const char* function, auto call) {
                      check_refused(function, "out", "overlaps [first, last) in part", call);
                  });
    }
    // Ranges that begin at one address overlap, if their elements have different sizes.
    check_refused("parprims::exclusive_scan", "out", "overlaps [first, last) in part", [&] {
        pp::exclusive_scan(Backend::policy(), both.begin(), both.begin() + 1000,
                           reinterpret_cast<std::uint64_t*>(both.begin()), std::uint64_t{0});
    });
    CHECK(both.read() == values);

    // Neighbours do not overlap.
    pp::inclusive_scan(Backend::policy(), both.begin(), both.begin() + 2500, both.begin() + 2500);
    pp::inclusive_scan(Backend::policy(), both.begin() + 2500, both.end(), both.begin());
    check_works<Backend>();
}

TEST_CASE_TEMPLATE("histogram refuses counters in the input", Backend, PARPRIMS_BACKENDS)
{
    const auto x = place<Backend>(std::vector<std::uint32_t>(100, 1));
    const pp::integer_axis<std::uint32_t> axis(0, 10);
    const auto refused = [&](const std::uint32_t* first, const std::uint32_t* last, std::uint32_t* counts) {
        const auto policy = Backend::policy();
        check_refused("parprims::histogram", "counts", "overlaps [first, last)",
                      [&] { pp::histogram(policy, first, last, axis, counts); });
        check_refused("parprims::histogram", "counts", "overlaps [first, last)",
                      [&] { pp::histogram(policy, first, last, axis, counts, pp::accumulate); });
    };
    refused(x.begin(), x.end(), x.end() - 1);
    refused(x.begin() + 9, x.end(), x.begin());
    CHECK(x.read() == std::vector<std::uint32_t>(100, 1));
    CHECK(pp::histogram(Backend::policy(), x.begin() + 10, x.end(), axis, x.begin()) == x.begin() + 10);
    CHECK(x.read()[1] == 90);
}

TEST_CASE_TEMPLATE("counters too narrow for the number of samples are refused before the run", Backend,
                   PARPRIMS_BACKENDS)
{
    const auto counts = poisoned<Backend, std::int32_t>(1);
    const pp::counting_iterator<std::uint64_t> samples(0);
    check_refused("parprims::histogram", "counts", "a counter holds at most 2147483647, n is 2147483648", [&] {
        pp::histogram(Backend::policy(), samples, samples + (std::ptrdiff_t{1} << 31),
                      pp::function_axis(1, everything_in_bin_0{}), counts.begin());
    });
    CHECK(counts.untouched());
    check_works<Backend>();
}

TEST_CASE("counters of every type are refused beyond the last number they hold exactly")
{
    const pp::function_axis axis(1, everything_in_bin_0{});
    const auto refuse = [&]<class Counter>(Counter, std::uint64_t most) {
        const auto counts = poisoned<host_backend, Counter>(1);
        const pp::constant_iterator<std::uint64_t> samples(0);
        const std::string limit = "at most " + std::to_string(most) + ", n is " + std::to_string(most + 1);
        check_refused("parprims::histogram", "counts", limit, [&] {
            pp::histogram(pp::host, samples, samples + static_cast<std::ptrdiff_t>(most + 1), axis, counts.begin());
        });
        CHECK(counts.untouched());
    };
    refuse(std::uint32_t{}, 0xFFFFFFFFu);
    refuse(std::int32_t{}, 0x7FFFFFFFu);
    refuse(float{}, std::uint64_t{1} << 24);
    refuse(double{}, std::uint64_t{1} << 53);

    std::vector<float> counts(1);
    const pp::constant_iterator<std::uint64_t> samples(0);
    pp::histogram(pp::host, samples, samples + (1 << 24), axis, counts.begin());
    CHECK(counts.front() == 16777216.0f);
}

TEST_CASE("positions and numbers of results too narrow for the input are refused before the run")
{
    const pp::constant_iterator<number> x(1);
    const auto last = x + (std::ptrdiff_t{1} << 31);
    const std::string limit = "a number of its type is at most 2147483647, n is 2147483648";
    const auto out = poisoned<host_backend, std::int32_t>(2);
    check_refused("parprims::min_element_into", "out", limit,
                  [&] { pp::min_element_into(pp::host, x, last, out.begin()); });
    check_refused("parprims::max_element_into", "out", limit,
                  [&] { pp::max_element_into(pp::host, x, last, out.begin()); });
    check_refused("parprims::minmax_element_into", "out", limit,
                  [&] { pp::minmax_element_into(pp::host, x, last, out.begin()); });
    check_refused("parprims::copy_if_into", "count", limit,
                  [&] { pp::copy_if_into(pp::host, x, last, pp::discard_iterator(), out.begin(), is_one{}); });
    check_refused("parprims::unique_copy_into", "count", limit,
                  [&] { pp::unique_copy_into(pp::host, x, last, pp::discard_iterator(), out.begin()); });
    check_refused("parprims::reduce_by_key_into", "count", limit, [&] {
        pp::reduce_by_key_into(pp::host, x, last, x, pp::discard_iterator(), pp::discard_iterator(), out.begin());
    });
    CHECK(out.untouched());

    const auto floats = poisoned<host_backend, float>(1);
    check_refused("parprims::min_element_into", "out", "a number of its type is at most 16777216, n is 16777217",
                  [&] { pp::min_element_into(pp::host, x, x + 16777217, floats.begin()); });
    CHECK(floats.untouched());
    pp::min_element_into(pp::host, x, x + 16777216, floats.begin());
    CHECK(floats.read().front() == 0.0f);
    check_works<host_backend>();
}

TEST_CASE_TEMPLATE("bounds that make no axis are refused before there is a histogram", T, float, double, int)
{
    const auto refuse = [](std::size_t bins, T lower, T upper, const char* argument, const char* reason) {
        check_refused("parprims::regular_axis", argument, reason, [&] { pp::regular_axis<T>(bins, lower, upper); });
    };
    refuse(0, T{0}, T{1}, "bins", "0 is not in [1, ");
    refuse(3, T{1}, T{1}, "upper", "1 is not greater than lower (1)");
    refuse(3, T{2}, T{1}, "upper", "1 is not greater than lower (2)");
    if constexpr (std::is_floating_point_v<T>) {
        const T infinity = std::numeric_limits<T>::infinity();
        refuse(3, -infinity, T{1}, "lower", "-inf is not finite");
        refuse(3, T{0}, std::numeric_limits<T>::quiet_NaN(), "upper", "nan is not finite");
    }
    check_refused("parprims::variable_axis", "edges[2]", "2 is not greater than the edge before it (2)", [] {
        pp::variable_axis<T>{T{1}, T{2}, T{2}};
    });
}

TEST_CASE_TEMPLATE("an axis without bins is refused", Backend, PARPRIMS_BACKENDS)
{
    const auto& policy = Backend::policy();
    const auto samples = place<Backend>(std::vector<number>(12, 1));
    const auto values = place<Backend>(std::vector<float>(12, 1));
    const auto counts = poisoned<Backend, number>(4);
    const auto sums = poisoned<Backend, float>(4);
    const auto bins = poisoned<Backend, pp::profile_bin<float>>(4);
    const auto x = samples.begin();
    const auto end = samples.end();
    const auto picture = pp::matrix(x, 3, 4);
    const no_bins axis;
    REQUIRE((axis.bins() == 0 && !axis.has_flow()));
    const auto refused = [](const char* function, auto call) { check_refused(function, "axis", "has no bins", call); };
    refused("parprims::histogram", [&] { pp::histogram(policy, x, end, axis, counts.begin()); });
    refused("parprims::histogram", [&] { pp::histogram(policy, x, end, axis, counts.begin(), pp::accumulate); });
    refused("parprims::histogram", [&] { pp::histogram(policy, picture, pp::along(0), axis, counts.begin()); });
    refused("parprims::segmented_histogram", [&] { pp::segmented_histogram(policy, x, end, 3, axis, counts.begin()); });
    refused("parprims::channel_histograms", [&] {
        pp::channel_histograms(policy, pp::matrix(x, 6, 2), counts.begin(), pp::integer_axis(0u, 4u), axis);
    });
    refused("parprims::weighted_histogram",
            [&] { pp::weighted_histogram(policy, x, end, values.begin(), axis, sums.begin()); });
    refused("parprims::weighted_histogram", [&] {
        pp::weighted_histogram(policy, picture, pp::along(0), pp::matrix(values.begin(), 3, 4), axis, sums.begin());
    });
    refused("parprims::segmented_weighted_histogram",
            [&] { pp::segmented_weighted_histogram(policy, x, end, 3, values.begin(), axis, sums.begin()); });
    refused("parprims::profile", [&] { pp::profile(policy, x, end, values.begin(), axis, bins.begin()); });
    CHECK((counts.untouched() && sums.untouched()));
    check_works<Backend>();
}

TEST_CASE("an operator, transform or iterator that throws on the host passes its exception on and leaks nothing")
{
    const int before = counted::live;
    for (const int when : {1, 1000, 150000})
        for (const std::size_t n : {std::size_t{2000}, std::size_t{200000}}) {
            if (static_cast<std::size_t>(when) >= n)
                continue;
            CAPTURE(when);
            CAPTURE(n);
            const std::vector<counted> values(n, counted(1));
            std::vector<counted> out(n);
            std::atomic<int> calls{0};
            const auto add = [&](const counted& a, const counted& b) {
                if (++calls == when)
                    throw accident{};
                return counted(a.value + b.value);
            };
            const auto copy = [&](const counted& a) {
                if (++calls == when)
                    throw accident{};
                return a;
            };
            const auto sum = [](const counted& a, const counted& b) { return counted(a.value + b.value); };
            const auto check = [&](const auto& call) {
                calls = 0;
                CHECK(has_accident(call));
            };
            check([&] { (void)pp::reduce(pp::host, values, counted(0), add); });
            check([&] { (void)pp::transform_reduce(pp::host, values, counted(0), sum, copy); });
            check([&] { pp::inclusive_scan(pp::host, values, out.begin(), add); });
            check([&] { pp::exclusive_scan(pp::host, values, out.begin(), counted(0), add); });
            check([&] { pp::transform_inclusive_scan(pp::host, values, out.begin(), sum, copy); });
            const pp::transform_iterator throwing(values.begin(), copy);
            check([&] {
                (void)pp::reduce(pp::host, throwing, throwing + static_cast<std::ptrdiff_t>(n), counted(0), sum);
            });
            std::vector<number> counts(1);
            const pp::function_axis axis(1, [&](const counted& a) { return copy(a).value; });
            check([&] { pp::histogram(pp::host, values, axis, counts.begin()); });
            CHECK(pp::reduce(pp::host, values, counted(0), sum).value == static_cast<int>(n));
        }
    CHECK(counted::live == before);
    check_works<host_backend>();
}

TEST_CASE("a device call where there is no GPU says what is missing, and writes nothing")
{
    if (pp::device_count() > 0)
        return;  // then every other test shows what a device call does
    const std::vector<number> values(1000, 1);
    const auto out = poisoned<host_backend, number>(1000);
    const number* const first = values.data();
    each_function(pp::device, first, first + 1000, out.begin(), [](const std::string& function, auto call) {
        CAPTURE(function);
        try {
            call();
            FAIL_CHECK("no error");
        } catch (const pp::cuda_error& error) {
            const std::string text = error.what();
            CAPTURE(text);
            CHECK(error.status() != 0);
            CHECK(text.find(function) == 0);
            const auto says = [&](const char* words) { return text.find(words) != std::string::npos; };
            CHECK((says("no CUDA support in this build") || says("no CUDA-capable device") || says("driver")));
        }
    });
    CHECK(out.untouched());
    CHECK_THROWS_AS(pp::device_buffer<int>(5), pp::cuda_error);
    check_works<host_backend>();
}
