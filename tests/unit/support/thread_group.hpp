/// @file
/// @brief  Ranks that are threads of this process, so that any number of them is one ordinary test.
#pragma once

#include <parprims/stream.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

class thread_group {
public:
    /// What a rank sends, over all calls.
    struct traffic {
        std::size_t messages = 0;
        std::size_t bytes = 0;
    };

    /// The communicator of one rank.
    class member {
    public:
        member(thread_group& group, std::size_t rank) : group_(group), rank_(rank) {}

        std::size_t rank() const { return rank_; }
        std::size_t size() const { return group_.size_; }

        void all_gather(const void* send, void* recv, std::size_t bytes, parprims::stream_view)
        {
            note(bytes);
            group_.sent_[rank_] = send;
            group_.meet(bytes);
            for (std::size_t from = 0; from < size(); ++from)
                std::memcpy(static_cast<char*>(recv) + from * bytes, group_.sent_[from], bytes);
            group_.meet(bytes);
        }

        void all_reduce(std::uint64_t* counters, std::size_t n, parprims::stream_view)
        {
            note(n * sizeof(std::uint64_t));
            std::vector<std::uint64_t> sums(n);
            group_.sent_[rank_] = counters;
            group_.meet(n);
            for (const void* const from : group_.sent_)
                for (std::size_t i = 0; i < n; ++i)
                    sums[i] += static_cast<const std::uint64_t*>(from)[i];
            group_.meet(n);
            std::copy(sums.begin(), sums.end(), counters);
        }

        traffic sent;

    private:
        void note(std::size_t bytes)
        {
            ++sent.messages;
            sent.bytes += bytes;
        }

        thread_group& group_;
        std::size_t rank_;
    };

    explicit thread_group(std::size_t ranks) : size_(ranks), sent_(ranks) {}

    /// Calls `body(member)` on each rank. Returns what each one threw: null where nothing.
    template <class Body>
    std::vector<std::exception_ptr> run(Body body)
    {
        std::vector<std::exception_ptr> thrown(size_);
        std::vector<std::thread> threads;
        for (std::size_t rank = 0; rank < size_; ++rank)
            threads.emplace_back([this, rank, &body, &thrown] {
                member self(*this, rank);
                try {
                    body(self);
                } catch (...) {
                    thrown[rank] = std::current_exception();
                }
            });
        for (std::thread& thread : threads)
            thread.join();
        return thrown;
    }

private:
    /// Waits until all ranks are here. They agree on the size of what they exchange.
    void meet(std::size_t size)
    {
        std::unique_lock lock(mutex_);
        const std::size_t round = round_;
        if (arrived_ == 0)
            agreed_size_ = size;
        if (size != agreed_size_)
            throw std::logic_error("ranks exchange " + std::to_string(agreed_size_) + " and " + std::to_string(size));
        if (++arrived_ == size_) {
            arrived_ = 0;
            ++round_;
            all_here_.notify_all();
        } else if (!all_here_.wait_for(lock, std::chrono::seconds(60), [&] { return round_ != round; })) {
            throw std::logic_error("a rank waits for others that do not come");
        }
    }

    std::size_t size_;
    std::vector<const void*> sent_;
    std::mutex mutex_;
    std::condition_variable all_here_;
    std::size_t arrived_ = 0;
    std::size_t round_ = 0;
    std::size_t agreed_size_ = 0;
};

/// What an exception says; empty where there is none.
inline std::string text_of(const std::exception_ptr& thrown)
{
    try {
        if (thrown)
            std::rethrow_exception(thrown);
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "not a std::exception";
    }
    return "";
}
