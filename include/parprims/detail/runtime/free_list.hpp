/// @file
/// @brief  A list of items that calls take and give back.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

namespace parprims::detail::runtime {

/// Items that no call uses. The driver may call `give_back` from a thread of its own when a graph is destroyed, so no function of
/// the CUDA runtime is called under the lock: that could deadlock.
template <class Item>
class free_list {
public:
    /// Takes an item. If there is none, calls `refill()` without the lock: it must `add` at least one, or throw.
    template <class Refill>
    Item take(Refill refill)
    {
        for (;;) {
            {
                const std::lock_guard lock(mutex_);
                if (!free_.empty()) {
                    const Item taken = free_.back();
                    free_.pop_back();
                    return taken;
                }
            }
            refill();
        }
    }

    void give_back(const Item& returned) noexcept
    {
        const std::lock_guard lock(mutex_);
        free_.push_back(returned);  // does not throw: `add` has reserved the space
    }

    /// Adds new items, or none if this throws.
    void add(const std::vector<Item>& made)
    {
        const std::lock_guard lock(mutex_);
        free_.reserve(items_ + made.size());
        free_.insert(free_.end(), made.begin(), made.end());
        items_ += made.size();
    }

private:
    std::mutex mutex_;
    std::vector<Item> free_;
    std::size_t items_ = 0;  // free or in use
};

}  // namespace parprims::detail::runtime
