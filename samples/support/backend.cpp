#include "support/backend.hpp"

#include "support/machine.hpp"

#include <parprims/device.hpp>
#include <parprims/error.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <string>
#include <thread>

namespace samples {

namespace {

std::string why_no_gpu()
{
    try {
        parprims::get_device_info(parprims::current_device());
    } catch (const parprims::cuda_error& error) {
        return error.code().message();
    } catch (const parprims::invalid_argument&) {
    }
    return "no CUDA-capable device is detected";
}

}  // namespace

place choose_place(backend wish)
{
    const bool has_gpu = SAMPLES_ON_GPU && wish != backend::host && parprims::device_count() > 0;
    if (wish == backend::device && !SAMPLES_ON_GPU && parprims::device_count() > 0)
        throw CLI::ValidationError("--backend",
                                   "device needs a build for a GPU: this one was made where there was none");
    if (wish == backend::device && !has_gpu)
        throw CLI::ValidationError("--backend",
                                   fmt::format("device needs a GPU, and there is none here: {}", why_no_gpu()));
    if (has_gpu) {
        const int id = parprims::current_device();
        return {true, fmt::format("GPU {}, {}", id, parprims::get_device_info(id).name)};
    }
    const unsigned threads = std::thread::hardware_concurrency();
    return {false, fmt::format("CPU, {} thread{} of {}", threads, threads == 1 ? "" : "s", cpu_model())};
}

}  // namespace samples
