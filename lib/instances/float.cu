#include "prebuilt.inl.hpp"

namespace parprims::detail::device {

template struct prebuilt<float, plus>;
template struct prebuilt<float, minimum>;
template struct prebuilt<float, maximum>;
template struct prebuilt_histogram<float, std::uint32_t>;
template struct prebuilt_histogram<float, std::uint64_t>;

}  // namespace parprims::detail::device
