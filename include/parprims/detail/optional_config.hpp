/// @file
/// @brief  The part of std::optional that a policy needs: <optional> costs nvcc a twentieth of a second in every file that
///         calls an algorithm.
#pragma once

namespace parprims::detail {

/// The launch configuration that a caller has set, or none. Unlike host::optional it is trivially copyable and constexpr.
template <class Config>
class optional_config {
public:
    constexpr optional_config() noexcept = default;
    constexpr optional_config(const Config& config) noexcept : value_(config), has_value_(true) {}

    constexpr bool has_value() const noexcept { return has_value_; }
    constexpr explicit operator bool() const noexcept { return has_value_; }
    constexpr const Config& operator*() const noexcept { return value_; }
    constexpr const Config* operator->() const noexcept { return &value_; }
    constexpr Config value_or(const Config& otherwise) const noexcept { return has_value_ ? value_ : otherwise; }

private:
    Config value_{};
    bool has_value_ = false;
};

}  // namespace parprims::detail
