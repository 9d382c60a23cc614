/// @file
/// @brief  A stand-in for the CUDA runtime that needs no driver and no GPU, and fails where it is told to.
///
/// It is linked in place of the runtime (nothing of NVIDIA's is), and defines every symbol that the library and nvcc's
/// generated code use; one that is missing does not link. It pretends GPUs of compute capability 9.0, takes all memory
/// from the host, copies and fills at once, and does nothing for a kernel but look at its launch. It keeps account of all
/// that lives, and of calls that no runtime would stand, such as freeing twice or waiting for a captured stream.
///
/// What is not like the real one: a call that gives something back (frees, destroys, restores the current GPU or the
/// capture mode) does so even where it is told to fail, because nobody could try again; and so does cudaSetDevice.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

struct CUstream_st;

namespace stand_in {

inline constexpr int gpus = 2;

/// What lives. Graphs and user objects are what a captured call hands over.
struct account {
    long device_memory = 0, device_bytes = 0;  ///< from cudaMalloc and from pools
    long pinned_memory = 0, pinned_bytes = 0;
    long pools = 0, streams = 0, events = 0, graphs = 0, user_objects = 0;
    int device = 0;        ///< the current one
    int capture_mode = 0;  ///< the thread's

    friend bool operator==(const account&, const account&) = default;
};
account live();
std::string to_string(const account& what);

/// Which errors the calls fail with.
enum class failure {
    unknown,       ///< cudaErrorUnknown
    no_memory,     ///< cudaErrorMemoryAllocation from what allocates, cudaErrorUnknown from the rest
    lost,          ///< cudaErrorLaunchFailure, which loses the context
    unloading,     ///< cudaErrorCudartUnloading, as at the end of a program
    old_driver,    ///< cudaErrorInsufficientDriver
    wrong_binary,  ///< cudaErrorNoKernelImageForDevice from launches, and no failure elsewhere
};

/// Fails the `call`-th call from now on (1 is the next), and all later ones where `from_then_on`. 0: none.
struct fault {
    unsigned call = 0;
    bool from_then_on = false;
    failure how = failure::unknown;
};
void arm(const fault& planned);
void disarm();

/// The names of the calls that failed as planned since `arm`.
const std::vector<std::string>& failed_calls();
/// The statuses they returned.
const std::vector<int>& failed_statuses();
/// Whether all failed calls of cudaSetDevice were to make GPU `home` current.
bool only_restored_to(int home);

/// What the library did that no runtime would stand; empty where all was well.
const std::string& misuse();

/// What is pretended: a driver of version 13000 (0: none), GPUs of architecture 90 (compute capability 9.0).
void set_driver_version(int version);
void set_architecture(int architecture);

/// Told of each launch that succeeds: the kernel's host function, and the pointers to its parameters. Nobody: an empty one.
using launch_watcher = std::function<void(const void* kernel, void** parameters)>;
void watch_launches(launch_watcher watcher);

/// Whether `stream` is late from now on: events that are recorded in it are not ready before it is no longer.
void set_late(CUstream_st* stream, bool is_late);

/// What cudaPointerGetAttributes says of `pointer` from now on; `type` is a cudaMemoryType.
void pretend(const void* pointer, int type, int device, const void* device_pointer);

/// Whether [pointer, pointer + bytes) lies in one live allocation of the stand-in's.
bool is_allocated(const void* pointer, std::size_t bytes);

/// Calls of the test's own, which neither count nor fail.
class aside {
public:
    aside();
    ~aside();
    aside(const aside&) = delete;
    aside& operator=(const aside&) = delete;
};

}  // namespace stand_in
