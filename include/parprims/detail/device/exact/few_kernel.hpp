/// @file
/// @brief  The kernel of exact sums of segments of very few elements: a thread has several, each the sum of three doubles, init and two
///         elements, rounded once; of large elements the sum of limbs.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/exact/tuning.hpp>
#include <parprims/detail/numeric/arithmetic.hpp>
#include <parprims/detail/numeric/exact_limbs.hpp>
#include <parprims/detail/numeric/exact_rounding.hpp>
#include <parprims/detail/numeric/exact_window.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>

namespace parprims::detail::device {

template <class Input, class Terms, class T, class Output>
struct exact_few_kernel {
    static constexpr unsigned max_threads = exact_few_threads;
    static constexpr unsigned min_blocks = 5;  // of a multiprocessor; the path by limbs may spill registers
    using term = typename Terms::term;
    static constexpr unsigned most = 2;  // elements of a segment

    struct shared_storage {};

    Input input;
    fixed_segments segments;
    Output output;
    T init;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        const std::size_t first = block.index() * exact_few_segments * block.threads() + block.thread();
        const auto element = [&](unsigned t, unsigned i) {
            const std::size_t begin = segments.begin(first + t * block.threads());
            return i < segments.length && begin + i < segments.n ? Terms::of(input[begin + i]) : Terms::nothing();
        };
        term terms[exact_few_segments][most];
#pragma unroll
        for (unsigned t = 0; t < exact_few_segments; ++t)
#pragma unroll
            for (unsigned i = 0; i < most; ++i)
                terms[t][i] = element(t, i);
        unsigned others = 0;  // a bit for each segment that `add_doubles` does not add
#pragma unroll
        for (unsigned t = 0; t < exact_few_segments; ++t) {
            T sum;
            if (const std::size_t s = first + t * block.threads(); s < segments.count) {
                if (add_doubles(terms[t], sum))
                    output.set(s, sum);
                else
                    others |= 1u << t;
            }
        }
#pragma unroll 1
        for (unsigned t = 0; t < exact_few_segments; ++t)
            if ((others >> t & 1) != 0) {
                numeric::exact_sum<Terms::limbs.lowest, Terms::limbs.highest> sum;
                sum.add_value(Terms::number(Terms::of(init)));
#pragma unroll 1
                for (unsigned i = 0; i < most; ++i)
                    sum.add_value(Terms::number(element(t, i)));
                output.set(first + t * block.threads(), sum.template rounded<T>());
            }
    }

private:
    /// Sets `sum` to init + the terms, rounded once. Returns false, and no valid `sum`, if one of them is infinite, a NaN, or so large that adding
    /// might overflow.
    PARPRIMS_DEVICE bool add_doubles(const term (&terms)[most], T& sum) const
    {
        const term start = Terms::of(init);
        const double a = Terms::number(start), b = Terms::number(terms[0]), c = Terms::number(terms[1]);
        const double rounded = numeric::add_unfused(a, numeric::add_unfused(b, c));  // to see whether all are -0
        sum = numeric::seen_in(rounded) == 0 ? -T{0} : numeric::rounded_sum<T>(a, b, c);
        numeric::key_range keys;
        keys.add(Terms::key(start));
        keys.add(Terms::key(terms[0]));
        keys.add(Terms::key(terms[1]));
        return keys.highest < Terms::window::key_of(sizeof(term) == 4 ? 128 : 1020);
    }
};

}  // namespace parprims::detail::device
