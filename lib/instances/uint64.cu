#include "prebuilt.inl.hpp"

namespace parprims::detail::device {

template struct prebuilt<std::uint64_t, plus>;
template struct prebuilt<std::uint64_t, minimum>;
template struct prebuilt<std::uint64_t, maximum>;
template struct prebuilt_histogram<std::uint64_t, std::uint32_t>;
template struct prebuilt_histogram<std::uint64_t, std::uint64_t>;
template struct prebuilt_segments<std::uint64_t>;
template struct prebuilt_by_key<std::uint32_t, std::uint64_t>;
template struct prebuilt_by_key<std::uint64_t, std::uint64_t>;
template struct prebuilt_segmented_scan<std::uint64_t>;
template struct prebuilt_extremes<std::uint64_t, extreme::minimum>;
template struct prebuilt_extremes<std::uint64_t, extreme::maximum>;
template struct prebuilt_extremes<std::uint64_t, extreme::both>;

}  // namespace parprims::detail::device
