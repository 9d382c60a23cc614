#include "weighted.inl.hpp"

namespace parprims::detail::device {

template struct prebuilt_weighted<double, float>;
template struct prebuilt_weighted<double, double>;
template struct prebuilt_weighted<double, weighted_sum<float>>;
template struct prebuilt_weighted<double, weighted_sum<double>>;
template struct prebuilt_weighted<double, profile_bin<float>>;
template struct prebuilt_weighted<double, profile_bin<double>>;

}  // namespace parprims::detail::device
