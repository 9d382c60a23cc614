#include "weighted.inl.hpp"

namespace parprims::detail::device {

template struct prebuilt_weighted<float, float>;
template struct prebuilt_weighted<float, double>;
template struct prebuilt_weighted<float, weighted_sum<float>>;
template struct prebuilt_weighted<float, weighted_sum<double>>;
template struct prebuilt_weighted<float, profile_bin<float>>;
template struct prebuilt_weighted<float, profile_bin<double>>;

}  // namespace parprims::detail::device
