/// @file
/// @brief  What the calls around `copy_if` keep, and where they write it, for both backends.
#pragma once

#include <type_traits>

namespace parprims::detail {

/// In the place of an iterator that a call lacks.
struct no_iterator {};

/// In the place of a source: to `other` goes how far the next run begins behind the element, which is the length of its run.
struct run_lengths {};
/// Lengths of runs of several elements alone. To `kept` go the numbers of their first elements.
struct long_run_lengths {};

/// Where a call writes what it keeps. It lacks some of these.
template <class Kept, class Source = no_iterator, class Other = no_iterator, class Rejected = no_iterator>
struct kept_outputs {
    Kept kept;          ///< of the elements that are kept
    Source source;      ///< if element i is kept, `source[i]` goes to `other`
    Other other;        ///< has as many elements as `kept`
    Rejected rejected;  ///< of the elements that are not kept

    static constexpr bool writes_kept = !std::is_same_v<Kept, no_iterator>;
    static constexpr bool writes_other = !std::is_same_v<Other, no_iterator>;
    static constexpr bool writes_rejected = !std::is_same_v<Rejected, no_iterator>;
    static constexpr bool finds_long_runs = std::is_same_v<Source, long_run_lengths>;
    static constexpr unsigned least = finds_long_runs ? 2 : 1;  ///< elements that may have a result
    static constexpr bool writes_lengths = std::is_same_v<Source, run_lengths> || finds_long_runs;
    static constexpr bool writes_elements = writes_kept && !finds_long_runs;
    static constexpr bool is_plain = !writes_other && !writes_rejected;

    // The arguments of the call.
    static constexpr const char* kept_name = finds_long_runs   ? "offsets_out"
                                             : writes_lengths  ? "values_out"
                                             : writes_other    ? "keys_out"
                                             : writes_rejected ? "out_true"
                                                               : "out";
    static constexpr const char* tested_name = !writes_other || writes_lengths ? "first"
                                               : writes_kept                   ? "keys_first"
                                                                               : "stencil";
    static constexpr const char* source_name = writes_kept ? "values_first" : "first";
    static constexpr const char* other_name = writes_lengths ? "lengths_out" : writes_kept ? "values_out" : "out";
};

/// The predicate of a call that keeps the first element of each run of equal ones. It compares an element with the one before.
template <class Equal>
struct starts_run {
    Equal equal;
};

template <class Predicate>
inline constexpr bool is_starts_run = false;
template <class Equal>
inline constexpr bool is_starts_run<starts_run<Equal>> = true;

}  // namespace parprims::detail
