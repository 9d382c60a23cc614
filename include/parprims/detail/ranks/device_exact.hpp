/// @file
/// @brief  The two kernels of an exact sum over the slices of several GPUs: limbs travel, are added, and rounded once.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/exact_terms.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/exact/dispatch.hpp>
#include <parprims/detail/device/exact/rounding.hpp>
#include <parprims/detail/device/ranks/dispatch.hpp>
#include <parprims/detail/device/ranks/message.hpp>
#include <parprims/detail/numeric/exact_limbs.hpp>
#include <parprims/detail/ranks/message_size.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::ranks {

using exact_messages = device::rank_messages<std::uint64_t, std::uint64_t, 1>;

/// The limbs that a rank sends: those of its terms, and of init as a float, which is -0.
template <class Terms>
inline constexpr numeric::limb_range sent_limbs = Terms::limbs.joined(numeric::limbs_of_float);

/// The message, as an output of exact_sum_kernel: settled limbs, and what was seen.
struct exact_message {
    exact_messages messages;

    PARPRIMS_DEVICE void set(unsigned k, unsigned count, std::int64_t limb) const
    {
        if (k < count)
            simt::store(words(), k, static_cast<std::uint64_t>(limb));
    }
    PARPRIMS_DEVICE void set_seen(unsigned count, std::uint32_t seen) const
    {
        simt::store(words(), count, std::uint64_t{seen});
        simt::store(exact_messages::header(messages.group.sent), 0, messages.call);
        simt::store(exact_messages::header(messages.group.sent), 1, std::uint64_t{0});
    }

private:
    PARPRIMS_DEVICE std::uint64_t* words() const
    {
        return reinterpret_cast<std::uint64_t*>(exact_messages::totals(messages.group.sent));
    }
};

/// Adds the limbs of all ranks, and rounds their sum. One warp. `Waits`: as in rank_finish_kernel.
template <class Terms, class T, bool Waits, class Output>
struct exact_finish_kernel {
    static constexpr unsigned max_threads = simt::warp_size;
    static constexpr numeric::limb_range range = sent_limbs<Terms>.joined(numeric::limbs_of<T>);
    static constexpr unsigned count = range.limbs();
    static constexpr unsigned sent = sent_limbs<Terms>.limbs();
    static constexpr unsigned first = static_cast<unsigned>(sent_limbs<Terms>.lowest - range.lowest) / 32;

    struct shared_storage {};

    exact_messages messages;
    Output output;
    T init;
    bool is_empty;  // there are no elements

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        const bool has_failed = Waits && simt::load(messages.group.failure, 0) != 0;
        if (!messages.check(block) || has_failed)
            return;
        std::uint32_t seen = numeric::seen_in(init);
        warp::limbs_of_warp<range.lowest, count> sum([&](unsigned k) {
            std::uint64_t limb = 0;
            for (std::size_t r = 0; r < messages.group.ranks && k - first < sent; ++r)
                limb += word(r, k - first);
            return static_cast<std::int64_t>(limb);
        });
        for (std::size_t r = 0; r < messages.group.ranks; ++r)
            seen |= static_cast<std::uint32_t>(word(r, sent));
        if (!numeric::is_special(numeric::seen_in(init))) {
            const numeric::scaled_integer more = numeric::scaled(exact::numbers<double>::of(init));
            numeric::for_each_limb<range.lowest>(more.mantissa, more.exponent,
                                                 [&](unsigned k, std::int64_t part) { sum.add(k, part); });
        }
        sum.settle();
        const T rounded = sum.template rounded<T>(seen);
        if (block.lane() == 0)
            *output = is_empty ? init : rounded;
    }

private:
    PARPRIMS_DEVICE std::uint64_t word(std::size_t rank, unsigned i) const
    {
        return simt::load(reinterpret_cast<const std::uint64_t*>(exact_messages::totals(messages.from(rank))), i);
    }
};

/// Bytes of the message.
template <class Terms>
constexpr std::size_t exact_message_bytes()
{
    return exact_messages::bytes_of(sent_limbs<Terms>.limbs() + 1, 0);
}
static_assert(exact_message_bytes<exact::double_products>() <= exact_sum_bytes);

/// Adds the terms of a slice and writes the message.
template <class Terms, device::launcher Launcher, class Iterator, class Transform>
void enqueue_exact_fold(Launcher& launcher, const device::rank_call& call, Iterator slice, Transform transform)
{
    device::enqueue_exact_sum<Terms>(launcher, slice, call.n,
                                     exact_message{call.messages<std::uint64_t, std::uint64_t, 1>()}, -0.0f, transform);
}

/// Writes init + the sum of all slices.
template <class Terms, bool Waits, device::launcher Launcher, class Output, class T>
void enqueue_exact_finish(Launcher& launcher, const device::rank_call& call, Output output, T init, bool is_empty)
{
    using kernel_type = exact_finish_kernel<Terms, T, Waits, Output>;
    launcher.launch({1, kernel_type::max_threads, sizeof(typename kernel_type::shared_storage)},
                    kernel_type{call.messages<std::uint64_t, std::uint64_t, 1>(), output, init, is_empty});
}

}  // namespace parprims::detail::ranks
