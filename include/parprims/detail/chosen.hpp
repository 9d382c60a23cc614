/// @file
/// @brief  The part of std::optional that a policy needs; <optional> costs nvcc a twentieth of a second in every call.
#pragma once

namespace parprims::detail {

/// What a caller has chosen, or nothing.
template <class T>
class chosen {
public:
    constexpr chosen() noexcept = default;
    constexpr chosen(const T& value) noexcept : value_(value), has_value_(true) {}

    constexpr bool has_value() const noexcept { return has_value_; }
    constexpr explicit operator bool() const noexcept { return has_value_; }
    constexpr const T& operator*() const noexcept { return value_; }
    constexpr const T* operator->() const noexcept { return &value_; }
    constexpr T value_or(const T& otherwise) const noexcept { return has_value_ ? value_ : otherwise; }

private:
    T value_{};
    bool has_value_ = false;
};

}  // namespace parprims::detail
