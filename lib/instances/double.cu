#include "prebuilt.inl.hpp"

namespace parprims::detail::device {

template struct prebuilt<double, plus>;
template struct prebuilt<double, minimum>;
template struct prebuilt<double, maximum>;
template struct prebuilt_histogram<double, std::uint32_t>;
template struct prebuilt_histogram<double, std::uint64_t>;
template struct prebuilt_segments<double>;
template struct prebuilt_by_key<std::uint32_t, double>;
template struct prebuilt_by_key<std::uint64_t, double>;
template struct prebuilt_segmented_scan<double>;
template struct prebuilt_extremes<double, extreme::minimum>;
template struct prebuilt_extremes<double, extreme::maximum>;
template struct prebuilt_extremes<double, extreme::both>;

}  // namespace parprims::detail::device
