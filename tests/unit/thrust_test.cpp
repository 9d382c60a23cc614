/// @file
/// @brief  Iterators and pointers of Thrust's containers are taken as the pointers that they are; Thrust's other iterators are not.
#include <doctest/doctest.h>

#include <parprims/config.hpp>

#if PARPRIMS_CUDA_COMPILER

#include <parprims/extremes.hpp>
#include <parprims/histogram.hpp>
#include <parprims/reduce.hpp>
#include <parprims/scan.hpp>

#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/universal_vector.h>

#include <cuda_fp16.h>

#include <iterator>
#include <type_traits>
#include <vector>

namespace pp = parprims;

namespace {

template <class Iterator, class Pointer>
inline constexpr bool is_taken_as = std::is_same_v<pp::detail::unwrapped_t<Iterator>, Pointer>;
template <class Iterator>
inline constexpr bool is_taken_as_it_is = is_taken_as<Iterator, Iterator>;

using vector_iterator = thrust::device_vector<float>::iterator;

static_assert(is_taken_as<vector_iterator, float*>);
static_assert(is_taken_as<thrust::device_vector<float>::const_iterator, const float*>);
static_assert(is_taken_as<thrust::universal_vector<float>::iterator, float*>);
static_assert(is_taken_as<thrust::device_ptr<float>, float*>);
static_assert(is_taken_as<thrust::device_ptr<const float>, const float*>);

struct negate {
    __host__ __device__ float operator()(float x) const { return -x; }
};
static_assert(is_taken_as_it_is<thrust::reverse_iterator<thrust::device_ptr<float>>>);
static_assert(is_taken_as_it_is<thrust::reverse_iterator<vector_iterator>>);
static_assert(is_taken_as_it_is<std::reverse_iterator<thrust::device_ptr<float>>>);
static_assert(is_taken_as_it_is<thrust::permutation_iterator<vector_iterator, thrust::device_ptr<int>>>);
static_assert(is_taken_as_it_is<thrust::transform_iterator<negate, vector_iterator>>);
static_assert(is_taken_as_it_is<thrust::counting_iterator<int>>);

/// From 2048 on, numbers of __half are even.
struct quarters {
    __host__ __device__ float operator()(int x) const { return 2048 + static_cast<float>(x) / 4; }
};

}  // namespace

TEST_CASE("[device] extremes of 16-bit numbers that an iterator of Thrust converts are those of its value type")
{
    using quarter_iterator = thrust::transform_iterator<quarters, const int*, float, __half>;
    const thrust::device_vector<int> numbers(std::vector<int>{1, 3, 2, 0});
    const quarter_iterator first(thrust::raw_pointer_cast(numbers.data()), quarters{});
    CHECK(pp::max_element(pp::device, first, first + 4) - first == 0);  // all are 2048

    const thrust::device_vector<__half> x(std::vector<__half>{__half{1.0f}, __half{3.0f}, __half{2.0f}, __half{0.5f}});
    const thrust::device_vector<int> order(std::vector<int>{0, 2, 1, 3});
    const auto chosen = thrust::make_permutation_iterator(x.begin(), order.begin());
    CHECK(pp::max_element(pp::device, chosen, chosen + 4) - chosen == 2);
}

TEST_CASE("[device] containers and pointers of Thrust are inputs and outputs")
{
    const std::vector<float> values = {0.5f, 1.5f, 2.5f, 3.5f, 2.0f};
    const thrust::device_vector<float> x(values.begin(), values.end());

    CHECK(pp::reduce(pp::device, x) == 10.0f);
    CHECK(pp::reduce(pp::device, x.data(), x.data() + 5, 1.0f) == 11.0f);

    thrust::device_vector<float> totals(5);
    CHECK(pp::inclusive_scan(pp::device, x.begin(), x.end(), totals.begin()) == totals.end());
    const thrust::host_vector<float> found = totals;
    CHECK(std::vector<float>(found.begin(), found.end()) == std::vector<float>{0.5f, 2.0f, 4.5f, 8.0f, 10.0f});

    const auto backwards = thrust::make_reverse_iterator(x.end());
    pp::inclusive_scan(pp::device, backwards, backwards + 5, totals.data());
    CHECK(totals[1] == 5.5f);

    thrust::device_vector<unsigned> counts(4);
    pp::histogram(pp::device, x, pp::regular_axis(4, 0.0f, 4.0f), counts.begin());
    CHECK(counts[2] == 2);
}

#endif
