#include "prebuilt.inl.hpp"

namespace parprims::detail::device {

template struct prebuilt<float, plus>;
template struct prebuilt<float, minimum>;
template struct prebuilt<float, maximum>;
template struct prebuilt_histogram<float, std::uint32_t>;
template struct prebuilt_histogram<float, std::uint64_t>;
template struct prebuilt_segments<float>;
template struct prebuilt_by_key<std::uint32_t, float>;
template struct prebuilt_by_key<std::uint64_t, float>;
template struct prebuilt_segmented_scan<float>;
template struct prebuilt_extremes<float, extreme::minimum>;
template struct prebuilt_extremes<float, extreme::maximum>;
template struct prebuilt_extremes<float, extreme::both>;

}  // namespace parprims::detail::device
