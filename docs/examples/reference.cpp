/// @file
/// @brief  Examples of the API reference that need no GPU. A comment behind a line is its value, which the checks repeat.
#include <doctest/doctest.h>

#include <parprims/parprims.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace pp = parprims;

namespace {

/// [execution_policy]
// One function for both backends.
template <pp::execution_policy Policy>
float mean(const Policy& policy, const float* first, const float* last)
{
    return pp::reduce(policy, first, last, 0.0f) / static_cast<float>(last - first);
}
/// [execution_policy]

/// [histogram_axis]
// What fraction of the samples is in a bin, for any axis.
template <class Axis>
    requires pp::histogram_axis_for<Axis, float>
double coverage(const std::vector<float>& samples, const Axis& axis)
{
    std::vector<std::uint64_t> counts(axis.extent());
    pp::histogram(pp::host, samples, axis, counts.begin());
    const std::uint64_t inside = pp::reduce(pp::host, counts.data(), counts.data() + axis.bins(), std::uint64_t{0});
    return static_cast<double>(inside) / static_cast<double>(samples.size());
}
/// [histogram_axis]

}  // namespace

TEST_CASE("reference: policies and concepts")
{
    /// [host_policy]
    const std::vector<float> x{1, 2, 6};
    const float all_cores = pp::reduce(pp::host, x, 0.0f);
    const float four_threads = pp::reduce(pp::host.threads(4), x, 0.0f);  // the same bits
    /// [host_policy]
    CHECK(all_cores == four_threads);
    CHECK(mean(pp::host, x.data(), x.data() + 3) == 3);
    /// [random_access_iterator]
    static_assert(pp::random_access_iterator<const float*>);
    static_assert(pp::random_access_iterator<std::vector<int>::iterator>);
    static_assert(!pp::random_access_iterator<std::list<int>::iterator>);
    /// [random_access_iterator]
    /// [random_access_range]
    static_assert(pp::random_access_range<std::vector<int>>);
    static_assert(!pp::random_access_range<std::list<int>>);
    /// [random_access_range]
    CHECK(coverage({0.5f, 2.0f}, pp::regular_axis(4, 0.0f, 1.0f).with_flow()) == 0.5);
}

TEST_CASE("reference: operators")
{
    /// [operators]
    const std::vector<int> x{6, 3, 5};
    const int sum = pp::reduce(pp::host, x, 0, pp::plus{});             // 14
    const int product = pp::reduce(pp::host, x, 1, pp::multiplies{});   // 90
    const int smallest = pp::reduce(pp::host, x, x[0], pp::minimum{});  // 3
    const int largest = pp::reduce(pp::host, x, x[0], pp::maximum{});   // 6
    const int common = pp::reduce(pp::host, x, -1, pp::bit_and{});      // 0
    const int any = pp::reduce(pp::host, x, 0, pp::bit_or{});           // 7
    const int parity = pp::reduce(pp::host, x, 0, pp::bit_xor{});       // 0
    const auto place = pp::min_element(pp::host, x, pp::less{});        // x.begin() + 1
    std::vector<int> ones(3);
    pp::inclusive_scan_by_key(pp::host, x, x, ones.begin(), pp::equal_to{}, pp::plus{});  // 6, 3, 5: no keys are equal
    /// [operators]
    CHECK(sum == 14);
    CHECK(product == 90);
    CHECK(smallest == 3);
    CHECK(largest == 6);
    CHECK(common == 0);
    CHECK(any == 7);
    CHECK(parity == 0);
    CHECK(place == x.begin() + 1);
    CHECK(ones == x);

    /// [nan]
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> y{2, nan, 1};
    const float with_nan = pp::reduce(pp::host, y, y[0], pp::minimum{});         // NaN: it propagates
    const float least = pp::reduce(pp::host, y, y[0], pp::minimum_number{});     // 1: it is ignored
    const float greatest = pp::reduce(pp::host, y, y[0], pp::maximum_number{});  // 2
    /// [nan]
    CHECK(std::isnan(with_nan));
    CHECK(least == 1);
    CHECK(greatest == 2);

    /// [identity]
    const int same = pp::transform_reduce(pp::host, x, 0, pp::plus{}, pp::identity{});  // as reduce
    /// [identity]
    CHECK(same == sum);
}

TEST_CASE("reference: exact sums")
{
    /// [exact_plus]
    const std::vector<double> x{1e100, 1, -1e100};
    const double plain = pp::reduce(pp::host, x, 0.0);                    // 0: 1e100 + 1 is rounded to 1e100
    const double exact = pp::reduce(pp::host, x, 0.0, pp::exact_plus{});  // 1, in any order

    const std::vector<double> y{1e300, 1, 1e300};
    const double dot = pp::transform_reduce(pp::host, x.begin(), x.end(), y.begin(), 0.0, pp::exact_plus{},
                                            pp::multiplies{});  // 1: neither product is rounded, and neither overflows
    /// [exact_plus]
    CHECK(plain == 0);
    CHECK(exact == 1);
    CHECK(dot == 1);
}

TEST_CASE("reference: forms of the algorithms")
{
    const std::vector<float> x{3, 4};
    /// [transform_reduce_into]
    float length_squared = 0;
    const auto square = [](float a) { return a * a; };
    pp::transform_reduce_into(pp::host, x, &length_squared, 0.0f, pp::plus{}, square);  // 25
    /// [transform_reduce_into]
    CHECK(length_squared == 25);
}

TEST_CASE("reference: axes")
{
    /// [regular_axis]
    const pp::regular_axis axis(4, 0.0f, 1.0f);
    axis.bins();                // 4
    axis.edge(1);               // 0.25f
    axis.slot(0.3);             // 1
    axis.index(1.0f);           // nothing: bins are half-open
    axis.with_flow().extent();  // 7
    /// [regular_axis]
    CHECK(axis.bins() == 4);
    CHECK(axis.edge(1) == 0.25f);
    CHECK(axis.slot(0.3) == 1);
    CHECK(axis.index(1.0f) == std::nullopt);
    CHECK(axis.with_flow().extent() == 7);

    /// [integer_axis]
    const pp::integer_axis dice(1, 7);  // 1 ... 6
    dice.bins();                        // 6
    dice.slot(6);                       // 5
    /// [integer_axis]
    CHECK(dice.bins() == 6);
    CHECK(dice.slot(6) == 5);

    /// [variable_axis]
    const pp::variable_axis<double> ages{0, 18, 65, 130};
    ages.slot(17.99);                                         // 0
    ages.edge(2);                                             // 65
    const pp::variable_axis_view<double> view = ages.view();  // for a kernel of your own
    view.slot(18);                                            // 1
    /// [variable_axis]
    CHECK(ages.slot(17.99) == 0);
    CHECK(ages.edge(2) == 65);
    CHECK(view.slot(18) == 1);

    /// [product_axis]
    const pp::product_axis board(pp::integer_axis(0, 8), pp::integer_axis(0, 8));
    board.slot(pp::tuple(1, 2));             // 10 = 1 * 8 + 2: the last axis is fastest
    board.slot(pp::tuple(1, 8));             // 64, which is no slot: the second axis drops 8
    board.slot_at(7, 7);                     // 63
    const auto [i, j] = board.position(10);  // 1 and 2
    /// [product_axis]
    CHECK(board.slot(pp::tuple(1, 2)) == 10);
    CHECK(board.slot(pp::tuple(1, 8)) == 64);
    CHECK(board.slot_at(7, 7) == 63);
    CHECK(i == 1);
    CHECK(j == 2);

    /// [function_axis]
    const pp::function_axis last_digit(10, [](int x) { return x % 10; });
    last_digit.slot(1234);  // 4
    last_digit.slot(-7);    // 10: underflow, because the callable returned -7
    /// [function_axis]
    CHECK(last_digit.slot(1234) == 4);
    CHECK(last_digit.slot(-7) == 10);
}

TEST_CASE("reference: iterators")
{
    /// [counting_iterator]
    const pp::counting_iterator<int> one(1);
    const int sum = pp::reduce(pp::host, one, one + 100, 0);  // 5050, without memory
    /// [counting_iterator]
    CHECK(sum == 5050);

    /// [constant_iterator]
    const pp::constant_iterator twos(2);
    std::vector<int> even(3);
    pp::inclusive_scan(pp::host, twos, twos + 3, even.begin());  // 2 4 6
    /// [constant_iterator]
    CHECK(even == std::vector{2, 4, 6});

    /// [transform_iterator]
    const pp::transform_iterator squares(one, [](int x) { return x * x; });
    const int largest = pp::reduce(pp::host, squares, squares + 5, 0, pp::maximum{});  // 25
    /// [transform_iterator]
    CHECK(largest == 25);

    /// [zip_iterator]
    const std::vector<int> x{3, 1}, y{10, 20};
    const pp::zip_iterator both(x.begin(), y.begin());
    const pp::tuple<int, int> second = both[1];
    const auto [a, b] = second;             // 1 20
    const int same_a = pp::get<0>(second);  // 1
    /// [zip_iterator]
    CHECK(a == 1);
    CHECK(b == 20);
    CHECK(same_a == 1);

    /// [strided_iterator]
    const std::vector<int> matrix{1, 2, 3, 4, 5, 6};  // two rows of three
    const pp::strided_iterator column(matrix.begin() + 1, 3);
    const int of_column = pp::reduce(pp::host, column, column + 2, 0);  // 2 + 5
    /// [strided_iterator]
    CHECK(of_column == 7);

    /// [permutation_iterator]
    const std::vector<int> places{2, 0, 1}, letters{'a', 'b', 'c'};
    const pp::permutation_iterator gathered(letters.begin(), places.begin());  // c, a, b
    std::vector<int> scattered(3);
    pp::transform(pp::host, letters.begin(), letters.end(), pp::permutation_iterator(scattered.begin(), places.begin()),
                  pp::identity{});  // b, c, a
    /// [permutation_iterator]
    CHECK(gathered[0] == 'c');
    CHECK(scattered == std::vector<int>{'b', 'c', 'a'});

    /// [transform_output_iterator]
    std::vector<double> means(3);
    const pp::transform_output_iterator halved(means.begin(), [](int sum) { return sum / 2.0; });
    pp::inclusive_scan(pp::host, twos, twos + 3, halved);  // 1 2 3
    /// [transform_output_iterator]
    CHECK(means == std::vector{1.0, 2.0, 3.0});

    /// [discard_iterator]
    std::vector<int> sums(2);
    const pp::zip_iterator out(sums.begin(), pp::discard_iterator{});  // of each pair, only the first is kept
    out[1] = pp::tuple(5, 6);
    /// [discard_iterator]
    CHECK(sums == std::vector{0, 5});
}

TEST_CASE("reference: views")
{
    const std::vector<float> x(24);
    /// [array_view]
    const auto picture = pp::matrix(x.data(), 4, 6);
    static_assert(pp::array_view<decltype(picture)>);
    static_assert(!pp::array_view<std::vector<float>>);
    /// [array_view]
    /// [matrix]
    const auto whole = pp::matrix(x.data(), 4, 6);              // 4 rows of 6
    const auto middle = pp::matrix(x.data() + 6 + 1, 2, 3, 6);  // rows 1 and 2, columns 1 to 3
    /// [matrix]
    CHECK(whole.stride(0) == 6);
    CHECK(middle.extent(1) == 3);
    /// [strided_view]
    const pp::strided_view cube(x.data(), {2, 3, 4}, {12, 4, 1});    // as a C array float[2][3][4]
    const pp::strided_view mirrored(x.data() + 5, {4, 6}, {6, -1});  // columns from right to left
    const pp::strided_view repeated(x.data(), {1000, 6}, {0, 1});    // one row, again and again
    /// [strided_view]
    CHECK(cube.rank() == 3);
    CHECK(mirrored.stride(1) == -1);
    CHECK(repeated.extent(0) == 1000);
    /// [along]
    const pp::along columns(0);
    const pp::along all(0, 1);
    /// [along]
    CHECK(columns.dimensions[0] == 0);
    CHECK(all.dimensions[1] == 1);
}

TEST_CASE("reference: along dimensions")
{
    const auto policy = pp::host;
    const std::vector<float> x{1, 2, 3, 4, 5, 6};
    std::vector<float> columns(3), rows(2), table(6);
    std::vector<int> places(2);
    /// [along_dimensions]
    const auto matrix = pp::matrix(x.begin(), 2, 3);                              // 1 2 3
                                                                                  // 4 5 6
    pp::reduce(policy, matrix, pp::along(0), columns.begin(), 0.0f);              // 5 7 9
    pp::reduce(policy, matrix, pp::along(1), rows.begin(), 0.0f, pp::maximum{});  // 3 6
    pp::max_element(policy, matrix, pp::along(1), places.begin());                // 2 2
    const auto sums = pp::matrix(table.begin(), 2, 3);
    pp::inclusive_scan(policy, matrix, pp::along(1), sums);  // 1 3 6, 4 9 15
    pp::inclusive_scan(policy, sums, pp::along(0), sums);    // 1 3 6, 5 12 21: a summed-area table
    /// [along_dimensions]
    CHECK(columns == std::vector<float>{5, 7, 9});
    CHECK(rows == std::vector<float>{3, 6});
    CHECK(places == std::vector<int>{2, 2});
    CHECK(table == std::vector<float>{1, 3, 6, 5, 12, 21});
}

TEST_CASE("reference: configurations")
{
    /// [to_string]
    const std::string text = pp::to_string(pp::reduce_config{.block_threads = 256});
    // reduce_config{block_threads=256, blocks_per_sm=1, subtree_chunks=0}
    /// [to_string]
    CHECK(text == "reduce_config{block_threads=256, blocks_per_sm=1, subtree_chunks=0}");

    /// [version]
    static_assert(PARPRIMS_VERSION >= 100, "parprims 0.1 or later");
    const bool is_first = pp::version_major == 0 && pp::version_minor == 1;
    /// [version]
    CHECK(is_first);

    /// [order_contract_version]
    const int order_contract = pp::order_contract_version;  // beside a result: which rules its bits follow
    /// [order_contract_version]
    CHECK(order_contract == 1);
}

TEST_CASE("reference: errors")
{
    const std::vector<float> x{1, 2};
    std::string message;
    /// [invalid_argument]
    try {
        (void)pp::reduce(pp::host, x.data() + 2, x.data(), 0.0f);
    } catch (const pp::invalid_argument& error) {
        message = error.what();  // parprims::reduce: last: comes before first, by 2
    }
    /// [invalid_argument]
    CHECK(message.starts_with("parprims::reduce: last: comes before first"));

    /// [any_error]
    try {
        const pp::stream work;
        pp::device_buffer<float> values(x, work);
        pp::inclusive_scan(pp::device.on(work), values, values.begin());
        work.synchronize();  // a kernel's own failure is reported here
    } catch (const pp::invalid_argument& error) {
        message = error.what();  // a mistake of the caller's: nothing was enqueued
    } catch (const pp::out_of_memory& error) {
        message = error.what();  // with the bytes, and whose memory; nothing was enqueued
    } catch (const pp::cuda_error& error) {
        message = error.what();  // no GPU, or a call of the CUDA runtime failed; error.status() is the cudaError_t
    }
    /// [any_error]
    if (pp::device_count() == 0)
        CHECK(message.find("CUDA") != std::string::npos);

    /// [cuda_category]
    const pp::cuda_error lost(100, "cudaSetDevice");
    const bool is_cuda = lost.code().category() == pp::cuda_category();
    /// [cuda_category]
    CHECK(is_cuda);
    CHECK(lost.status() == 100);
}
