/// @file
/// @brief  All of parprims for one process but the timer, which is in timer.hpp. Several have distributed.hpp and mpi.hpp.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/axis.hpp>
#include <parprims/by_key.hpp>
#include <parprims/concepts.hpp>
#include <parprims/config.hpp>
#include <parprims/copy_if.hpp>
#include <parprims/device.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/error.hpp>
#include <parprims/exact_plus.hpp>
#include <parprims/execution.hpp>
#include <parprims/extremes.hpp>
#include <parprims/extremes_along.hpp>
#include <parprims/functional.hpp>
#include <parprims/histogram.hpp>
#include <parprims/histogram_along.hpp>
#include <parprims/iterator.hpp>
#include <parprims/launch_config.hpp>
#include <parprims/memory_resource.hpp>
#include <parprims/partition_copy.hpp>
#include <parprims/pinned_buffer.hpp>
#include <parprims/product_axis.hpp>
#include <parprims/profile.hpp>
#include <parprims/profile_along.hpp>
#include <parprims/reduce.hpp>
#include <parprims/reduce_along.hpp>
#include <parprims/run_length_encode.hpp>
#include <parprims/scan.hpp>
#include <parprims/scan_along.hpp>
#include <parprims/segmented.hpp>
#include <parprims/segmented_extremes.hpp>
#include <parprims/segmented_histogram.hpp>
#include <parprims/segmented_profile.hpp>
#include <parprims/segmented_scan.hpp>
#include <parprims/segmented_weighted_histogram.hpp>
#include <parprims/sized_on_device.hpp>
#include <parprims/stream.hpp>
#include <parprims/transform.hpp>
#include <parprims/unique_copy.hpp>
#include <parprims/variable_axis.hpp>
#include <parprims/version.hpp>
#include <parprims/view.hpp>
#include <parprims/weighted_histogram.hpp>
#include <parprims/weighted_histogram_along.hpp>
#include <parprims/weights.hpp>

#include <parprims/detail/pop_macros.hpp>
