/// @file
/// @brief  A group of ranks with a GPU each: memory of messages, the two parts of a call, and errors that every rank gets.
#pragma once

#include <parprims/detail/device/call/cuda_launcher.hpp>
#include <parprims/detail/device/ranks/counts_kernels.hpp>
#include <parprims/detail/device/ranks/dispatch.hpp>
#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/ranks/device_failures.hpp>
#include <parprims/detail/ranks/message_size.hpp>
#include <parprims/detail/ranks/session.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/detail/runtime/device_guard.hpp>
#include <parprims/detail/runtime/refuse.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/error.hpp>
#include <parprims/execution.hpp>
#include <parprims/stream.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>

namespace parprims::detail::ranks {

template <class Communicator>
class device_group : public device_failures<Communicator> {
    using failures = device_failures<Communicator>;
    using failures::communicator_;
    using failures::where_;

public:
    using failures::attempt;
    using failures::exchange_last;
    using failures::keep_late;
    using failures::record;
    using failures::tell;

    static constexpr std::size_t max_value_bytes = 1024;

    /// All ranks together. Throws on every rank if one of them fails.
    device_group(const char* function, const device_policy& where, Communicator& communicator, std::size_t n,
                 std::size_t value_bytes, std::size_t counters)
        : failures(where, communicator), gpu_(runtime::call_scope(function, where.stream(), nullptr).device())
    {
        const device_guard on_gpu(gpu_);
        view_.ranks = static_cast<std::size_t>(communicator.size());
        view_.rank = static_cast<std::size_t>(communicator.rank());
        reports_ = device_buffer<report>(view_.ranks + 1, where.stream(), where.resource());
        staged host_memory{*this};
        session all(function, host_memory, types_of<>().add(counters));
        all.begin(
            [&] {
                if (value_bytes == 0 || value_bytes > max_value_bytes)
                    runtime::refuse(function, "value_bytes", "must be from 1 to %, is %", max_value_bytes, value_bytes);
                constexpr std::size_t max_counters = PTRDIFF_MAX / sizeof(std::uint64_t) / 2;
                if (counters > max_counters)
                    runtime::refuse(function, "counters", "must be at most %, is %", max_counters, counters);
                return n;
            },
            value_bytes);
        all.together([&] {
            begins_.push_back(0);
            for (std::size_t rank = 0; rank < all.ranks(); ++rank)
                begins_.push_back(begins_[rank] + all.n(rank));
            allocate(message_bytes(begins_, value_bytes), counters);
            if constexpr (requires { communicator_.reserve(std::size_t{}); })
                communicator_.reserve(larger_of((view_.ranks + 1) * view_.message_bytes,
                                                (counters + device::count_words) * sizeof(std::uint64_t)));
        });
    }

    const device_policy& where() const { return where_; }
    std::size_t rank() const { return view_.rank; }
    std::size_t ranks() const { return view_.ranks; }
    std::size_t begin() const { return begins_[rank()]; }
    std::size_t n() const { return begins_[rank() + 1] - begins_[rank()]; }
    std::size_t total() const { return begins_[ranks()]; }
    std::size_t bytes() const { return view_.message_bytes; }
    /// To be made current in each call: a default stream is that of the current GPU, and a captured one does not name its own.
    int gpu() const { return gpu_; }
    const host::sequence<std::size_t>& begins() const { return begins_; }
    Communicator& communicator() const { return communicator_; }

    using launcher_type = device::cuda_launcher<>;

    /// Throws if the call does not fit the messages.
    void check_size(const char* function, std::size_t needed) const
    {
        if (needed > view_.message_bytes)
            runtime::refuse(function, "slices",
                            "its messages have % bytes, this call needs %: give it a larger value_bytes",
                            view_.message_bytes, needed);
    }

    /// One call: `first(launcher, call)` writes the message and throws if an argument is bad; `second(launcher, call)` finishes.
    template <class First, class Second>
    void exchange(const char* function, std::uint64_t id, First first, Second second)
    {
        launcher_type launcher(function, where_, nullptr);
        device::rank_call call{view_, begin(), n(), 0, id, begin() + n() != total()};
        const bool is_sent = attempt([&] { first(launcher, call); });
        const bool is_told = !is_sent && tell(reinterpret_cast<std::uint64_t*>(view_.sent), 2, true,
                                              [&] { device::enqueue_rank_failure(launcher, call); });
        if (!exchange_last(
                [&] { communicator_.all_gather(view_.sent, view_.received, view_.message_bytes, where_.stream()); }))
            return;
        // A rank whose second part fails must still see that another rank failed: `throw_failure` exchanges reports then.
        if (!is_sent || !keep_late([&] { second(launcher, call); }))
            record(is_told,
                   {reinterpret_cast<const std::uint64_t*>(view_.received),
                    view_.ranks,
                    view_.message_bytes / sizeof(std::uint64_t),
                    {id, 0}},
                   [&] { device::enqueue_rank_check(launcher, call); });
    }

    /// Waits until `is_there()` or the stream has completed, while the communicator can report a lost rank. Whether it is there.
    template <class Condition>
    bool wait(Condition is_there)
    {
        const device_guard on_gpu(gpu_);
        if (!is_done_)
            is_done_.emplace();
        is_done_->record(where_.stream());
        const auto begin = std::chrono::steady_clock::now();
        for (unsigned polls = 1; !is_there(); ++polls) {
            if (polls % 256 != 0)
                continue;
            const bool is_ready = is_done_->is_ready();  // then no rank is lost, however long this one has waited
            if constexpr (requires { communicator_.check(std::chrono::nanoseconds{}); })
                communicator_.check(is_ready ? std::chrono::nanoseconds{} : std::chrono::steady_clock::now() - begin);
            if (is_ready)
                return is_there();
        }
        return true;
    }

    /// Waits for the stream. Throws on every rank if a call failed on one of them. But a failure of the second part of the last
    /// call is thrown on this rank alone, and the others are told in the next call.
    void throw_failure(const char* function)
    {
        const device_guard on_gpu(gpu_);
        wait([] { return false; });
        const std::optional<typename failures::recorded> failed = this->take_recorded();
        if (!failed)
            return;
        staged host_memory{*this};
        session all(function, host_memory, types_of<>().add(failed->call));
        all.begin([&]() -> std::size_t {
            if (failed->thrown)
                std::rethrow_exception(failed->thrown);
            return 0;
        });
        throw rank_error(function, rank(), "a call failed on another rank");
    }

    std::size_t counters() const { return counters_; }
    /// Memory of `counters()` sums and of the words behind them.
    std::uint64_t* sums() const { return sums_; }
    const device::rank_view& view() const { return view_; }

private:
    /// The communicator for reports in host memory.
    struct staged {
        device_group& group;

        std::size_t rank() const { return group.rank(); }
        std::size_t size() const { return group.ranks(); }
        void all_gather(const void* mine, void* of_all, std::size_t bytes, stream_view)
        {
            auto* const memory = reinterpret_cast<std::byte*>(group.reports_.data());
            runtime::copy_async(memory, mine, bytes, group.where_.stream());
            group.communicator_.all_gather(memory, memory + bytes, bytes, group.where_.stream());
            group.throw_unread();
            group.wait([] { return false; });
            runtime::copy_async(of_all, memory + bytes, bytes * size(), group.where_.stream());
            group.where_.stream().synchronize();
        }
        void all_reduce(std::uint64_t* counters, std::size_t n, stream_view)
        {
            auto* const memory = reinterpret_cast<std::uint64_t*>(group.reports_.data());
            runtime::copy_async(memory, counters, n * sizeof *counters, group.where_.stream());
            group.communicator_.all_reduce(memory, n, group.where_.stream());
            group.throw_unread();
            group.wait([] { return false; });
            runtime::copy_async(counters, memory, n * sizeof *counters, group.where_.stream());
            group.where_.stream().synchronize();
        }
    };

    void allocate(std::size_t bytes, std::size_t counters)
    {
        counters_ = counters;
        const std::size_t counters_at = (view_.ranks + 1) * bytes;
        const std::size_t failure_at =
            counters_at + device::aligned_bytes((counters + device::count_words) * sizeof(std::uint64_t));
        const std::size_t begins_at = failure_at + device::memory_alignment;
        const std::size_t begins_bytes = begins_.size() * sizeof(std::size_t);
        const std::size_t scratch_at = begins_at + device::aligned_bytes(begins_bytes);
        view_.scratch_bytes = device::rank_scratch_bytes;
        memory_ = device_buffer<std::byte>(scratch_at + view_.scratch_bytes, where_.stream(), where_.resource());
        view_.message_bytes = bytes;
        view_.sent = memory_.data();
        view_.received = memory_.data() + bytes;
        sums_ = reinterpret_cast<std::uint64_t*>(memory_.data() + counters_at);
        view_.failure = this->failure_ = reinterpret_cast<std::uint64_t*>(memory_.data() + failure_at);
        view_.ticket = reinterpret_cast<unsigned*>(memory_.data() + failure_at + device::memory_alignment / 2);
        view_.scratch = memory_.data() + scratch_at;
        view_.begins = reinterpret_cast<const std::size_t*>(memory_.data() + begins_at);
        runtime::fill_async(memory_.data(), 0, begins_at, where_.stream());
        runtime::copy_async(memory_.data() + begins_at, begins_.data(), begins_bytes, where_.stream());
        where_.stream().synchronize();
    }

    int gpu_;
    host::sequence<std::size_t> begins_;
    device_buffer<report> reports_;
    device_buffer<std::byte> memory_;
    std::uint64_t* sums_ = nullptr;
    std::size_t counters_ = 0;
    device::rank_view view_{};
    std::optional<event> is_done_;
};

}  // namespace parprims::detail::ranks
