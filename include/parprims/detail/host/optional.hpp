/// @file
/// @brief  The part of std::optional that the host backend needs: <optional> costs nvcc a twentieth of a second.
#pragma once

#include <new>
#include <utility>

namespace parprims::detail::host {

/// A value or nothing, for any T. Cannot be assigned, only emplaced.
template <class T>
class optional {
public:
    optional() : nothing_() {}
    optional(T value) : nothing_() { make(std::move(value)); }
    optional(const optional& other) : nothing_()
    {
        if (other)
            make(*other);
    }
    optional(optional&& other) : nothing_()
    {
        if (other)
            make(std::move(other.value_));
    }
    optional& operator=(const optional&) = delete;
    ~optional() { reset(); }

    explicit operator bool() const { return present_; }
    const T& operator*() const { return value_; }

    template <class From>
    void emplace(From&& from)
    {
        reset();
        make(std::forward<From>(from));
    }

private:
    template <class From>
    void make(From&& from)
    {
        ::new (static_cast<void*>(__builtin_addressof(value_))) T(std::forward<From>(from));
        present_ = true;
    }

    void reset()
    {
        if (present_)
            value_.~T();
        present_ = false;
    }

    union {
        char nothing_;
        T value_;
    };
    bool present_ = false;
};

}  // namespace parprims::detail::host
