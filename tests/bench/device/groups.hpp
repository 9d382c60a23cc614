// The groups of device_bench. Each lives in a few files, because the reference's templates compile slowly.
#pragma once

#include "../report.hpp"

namespace bench {

void limits(report& out, const options& asked);
void reduce_integers(report& out, const options& asked);
void reduce_floats(report& out, const options& asked);
void reduce_others(report& out, const options& asked);
void exact_sums(report& out, const options& asked);
void scan_integers(report& out, const options& asked);
void scan_floats(report& out, const options& asked);
void scan_others(report& out, const options& asked);
void scan_places(report& out, const options& asked);
void scan_iterators(report& out, const options& asked);
void histogram_words(report& out, const options& asked);
void histogram_floats(report& out, const options& asked);
void histogram_others(report& out, const options& asked);
void histogram_dimensions(report& out, const options& asked);
void weights(report& out, const options& asked);
void elements(report& out, const options& asked);
void by_key(report& out, const options& asked);
void sizes_on_device(report& out, const options& asked);
void segments(report& out, const options& asked);
void segmented_scans(report& out, const options& asked);
void segment_extremes(report& out, const options& asked);
void arrays(report& out, const options& asked);
void many_histograms(report& out, const options& asked);
void runs(report& out, const options& asked);
void access(report& out, const options& asked);
void end_to_end(report& out, const options& asked);
void end_to_end_histogram(report& out, const options& asked);
void matrix(report& out, const options& asked);

}  // namespace bench
