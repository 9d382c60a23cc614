/// @file
/// @brief  A vector that copies share, as by std::shared_ptr, whose header nvcc reads for a second.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace parprims::detail::axis {

template <class T>
class shared_vector {
public:
    explicit shared_vector(std::vector<T> values) : shared_(new shared{std::move(values)}) {}
    shared_vector(const shared_vector& other) noexcept : shared_(other.shared_)
    {
        if (shared_ != nullptr)
            __atomic_add_fetch(&shared_->owners, 1, __ATOMIC_RELAXED);
    }
    shared_vector(shared_vector&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
    shared_vector& operator=(shared_vector other) noexcept
    {
        std::swap(shared_, other.shared_);
        return *this;
    }
    ~shared_vector()
    {
        if (shared_ != nullptr && __atomic_sub_fetch(&shared_->owners, 1, __ATOMIC_ACQ_REL) == 0)
            delete shared_;
    }

    const std::vector<T>& get() const { return shared_->values; }

private:
    struct shared {
        const std::vector<T> values;
        std::size_t owners = 1;
    };

    shared* shared_;
};

}  // namespace parprims::detail::axis
