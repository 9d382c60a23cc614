/// @file
/// @brief  What the host backend uses of oneTBB, on threads that TSan knows. Tasks are ordered with the call that runs them,
///         and in no way with each other.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tbb {

inline constexpr std::size_t threads_of_the_machine = 6;

struct global_control {
    enum parameter { max_allowed_parallelism };
    static std::size_t active_value(parameter) { return threads_of_the_machine; }
};

class task_arena {
public:
    explicit task_arena(int) {}
    template <class Function>
    void execute(const Function& call)
    {
        call();
    }
};

namespace this_task_arena {

inline int max_concurrency()
{
    return threads_of_the_machine;
}

template <class Function>
void isolate(const Function& call)
{
    call();
}

}  // namespace this_task_arena

struct simple_partitioner {};

template <class Index>
class blocked_range {
public:
    blocked_range(Index begin, Index end, std::size_t = 1) : begin_(begin), end_(end) {}
    Index begin() const { return begin_; }
    Index end() const { return end_; }

private:
    Index begin_, end_;
};

template <class Index, class Body>
void parallel_for(const blocked_range<Index>& range, const Body& body, simple_partitioner)
{
    std::atomic<Index> next{range.begin()};
    std::mutex mutex;
    std::exception_ptr failure;
    const auto work = [&] {
        for (Index i; (i = next.fetch_add(1, std::memory_order_relaxed)) < range.end();)
            try {
                body(blocked_range<Index>(i, i + 1));
            } catch (...) {
                next.store(range.end(), std::memory_order_relaxed);
                const std::lock_guard lock(mutex);
                if (!failure)
                    failure = std::current_exception();
            }
    };
    {
        std::vector<std::jthread> threads;
        for (std::size_t t = 0; t < std::min<std::size_t>(threads_of_the_machine, range.end() - range.begin()); ++t)
            threads.emplace_back(work);
    }
    if (failure)
        std::rethrow_exception(failure);
}

}  // namespace tbb
