#include "prebuilt.inl.hpp"

namespace parprims::detail::device {

template struct prebuilt<std::int32_t, plus>;
template struct prebuilt<std::int32_t, minimum>;
template struct prebuilt<std::int32_t, maximum>;
template struct prebuilt_histogram<std::int32_t, std::uint32_t>;
template struct prebuilt_histogram<std::int32_t, std::uint64_t>;
template struct prebuilt_segments<std::int32_t>;
template struct prebuilt_extremes<std::int32_t, extreme::minimum>;
template struct prebuilt_extremes<std::int32_t, extreme::maximum>;
template struct prebuilt_extremes<std::int32_t, extreme::both>;

}  // namespace parprims::detail::device
