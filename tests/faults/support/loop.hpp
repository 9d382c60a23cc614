/// @file
/// @brief  The fault loop: a call of the library is run for k = 1, 2, ... with the k-th call of the runtime failing.
#pragma once

#include "../stand_in/stand_in.hpp"

#include <functional>
#include <memory>
#include <string>

/// A call of the library, made ready: what it needs lives in the closures.
struct prepared {
    std::function<void()> call;
    /// Whether no call has written its output yet; asked where the memory ran out. Empty: there is none.
    std::function<bool()> is_untouched = {};
};

/// A call to try. `prepare` runs before any fault.
struct scenario {
    std::string function;
    std::function<prepared()> prepare;
    /// Calls of the runtime whose failure may be passed over in silence, besides those that give something back.
    std::string may_be_silent = {};
};

/// Tries every k, once and from then on, with every kind of failure, in a process that has used nothing of the library
/// before (cold) and in one that has made the call before (warm); each in a process of its own, so that what is kept
/// between calls starts anew, and that an exception out of a destructor is seen as one. After the fault:
///   * the error is typed and names the call, or the failure was one that may be passed over;
///   * nothing lives but what the call keeps anyway, the GPU and the capture mode are as before, no error is left behind;
///   * the same call succeeds twice, and keeps nothing more at the second time.
void check_every_fault(const scenario& tried);

/// Whether this call of the runtime gives something back: what frees cannot report an error, so its failure may be silent.
bool gives_back(const std::string& call);

/// The number of calls of the runtime that a fault was tried in so far.
unsigned faults_tried();

/// What the error of one attempt says, which starts cold; an empty text where there is no error.
std::string error_of(const scenario& tried, const stand_in::fault& planned);

/// One attempt, for the test of the loop itself: what is wrong, or an empty text.
std::string complaint_about(const scenario& tried, const stand_in::fault& planned, bool is_warm);
