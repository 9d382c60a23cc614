/// @file
/// @brief  What a rank with a GPU does where a call fails, so that every rank throws and no rank waits for one that has given up.
///
/// A call has one exchange. What fails on a rank before it, the rank tells the others in that exchange; what fails after it, in the
/// exchange of its next call. A kernel on each rank records the failure of any rank in device memory. The next call that waits reads
/// that: then all ranks exchange what they threw.
#pragma once

#include <parprims/detail/runtime/call.hpp>
#include <parprims/execution.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

namespace parprims::detail::ranks {

template <class Communicator>
class device_failures {
public:
    device_failures(const device_policy& where, Communicator& communicator) : where_(where), communicator_(communicator)
    {
    }

    /// For what a call does before its exchange: calls `work()`, unless the other ranks must still learn of a failure of an earlier call.
    /// Returns whether `work()` was called and did not throw. If not, the call has to `tell` the other ranks.
    template <class Work>
    bool attempt(Work work)
    {
        unchecked_.reset();
        if (std::exchange(is_late_, false))
            return false;
        return keep(work);
    }

    /// Throws if the communicator could not read this rank's last message: see staged_communicator.
    void throw_unread()
    {
        if constexpr (requires { communicator_.throw_unread(); })
            communicator_.throw_unread();
    }

    /// For the exchange of a call: calls `work()`. Returns whether this rank has what the others sent; if not, its next call tells them. A
    /// message that could not be read has all bits set, so the others know.
    template <class Work>
    bool exchange_last(Work work)
    {
        const bool is_received = keep_late(work);
        keep([&] { throw_unread(); });
        return is_received;
    }

    /// For what a call does when it can no longer tell the other ranks: `keep(work)`. If `work()` throws, the next call tells them.
    template <class Work>
    bool keep_late(Work work)
    {
        const bool is_done = keep(work);
        is_late_ = is_late_ || !is_done;
        return is_done;
    }

    /// Tells the other ranks whether this one failed: `work()` enqueues a kernel that writes `n` words for them. If `work()` throws, a
    /// memset sets all bits of the words, which means a failure, and replaces what an earlier call wrote. Returns whether the others
    /// learn of a failure.
    template <class Work>
    bool tell(std::uint64_t* words, std::size_t n, bool has_failed, Work work)
    {
        if (keep(work))
            return has_failed;
        return keep_late([&] { runtime::fill_async(words, 0xff, n * sizeof *words, where_.stream()); });
    }

    /// Pairs of words in which the ranks said, in a call, whether they failed. All are `good` if none did.
    struct told_words {
        const std::uint64_t* first;
        std::size_t pairs;
        std::size_t stride;  // words from one pair to the next
        std::uint64_t good[2];
    };

    /// `work()` enqueues a kernel that records whether a rank failed. If `work()` throws:
    ///   * `is_told`, the other ranks know that this one failed. They record that, and will wait for its report, so a memset records a
    ///     failure here. It need not name the call: the report has what this rank threw;
    ///   * otherwise other ranks may have failed: `throw_failure` reads `words`.
    template <class Work>
    void record(bool is_told, const told_words& words, Work work)
    {
        if (keep_late(work))
            return;
        if (is_told)
            keep([&] { runtime::fill_async(failure_, 0xff, failure_words * sizeof *failure_, where_.stream()); });
        else
            unchecked_ = words;
    }

    /// Calls `work()`. Keeps the first exception, which `throw_failure` reports to all ranks. Returns whether `work()` threw none.
    template <class Work>
    bool keep(Work work)
    {
        try {
            work();
            return true;
        } catch (...) {
            if (!thrown_)
                thrown_ = std::current_exception();
            return false;
        }
    }

protected:
    /// What `throw_failure` has to report.
    struct recorded {
        std::uint64_t call;         // that failed
        std::exception_ptr thrown;  // on this rank; null if it failed on another one
    };

    /// Takes the failure that a kernel recorded, or that the last call may have had: all ranks know of it, or are told now. The stream
    /// has completed. Throws what only this rank knows of: the next call tells the others.
    std::optional<recorded> take_recorded()
    {
        std::uint64_t failure[failure_words] = {};
        runtime::copy_async(failure, failure_, sizeof failure, where_.stream());
        where_.stream().synchronize();
        if (failure[0] == 0 && !has_unchecked_failure()) {
            if (is_late_ && thrown_)
                std::rethrow_exception(thrown_);
            return std::nullopt;
        }
        runtime::fill_async(failure_, 0, sizeof failure, where_.stream());
        is_late_ = false;
        unchecked_.reset();
        return recorded{failure[1], std::exchange(thrown_, nullptr)};
    }

    device_policy where_;
    Communicator& communicator_;
    std::uint64_t* failure_ = nullptr;  // rank_view::failure

private:
    static constexpr std::size_t failure_words = 2;

    /// Whether a rank failed in the last call, where no kernel could check that. The stream has completed.
    bool has_unchecked_failure() const
    {
        for (std::size_t i = 0; unchecked_ && i < unchecked_->pairs; ++i) {
            std::uint64_t pair[2];
            runtime::copy_async(pair, unchecked_->first + i * unchecked_->stride, sizeof pair, where_.stream());
            where_.stream().synchronize();
            if (pair[0] != unchecked_->good[0] || pair[1] != unchecked_->good[1])
                return true;
        }
        return false;
    }

    std::exception_ptr thrown_;            // the first that has not been reported
    bool is_late_ = false;                 // whether the next call has to tell the other ranks of it
    std::optional<told_words> unchecked_;  // of the last call, if no kernel could check them
};

}  // namespace parprims::detail::ranks
