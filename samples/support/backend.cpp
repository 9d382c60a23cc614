#include "support/backend.hpp"

#include "support/machine.hpp"

#include <parprims/device.hpp>
#include <parprims/error.hpp>

#include <fmt/format.h>

#include <map>
#include <string>

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

void add_backend_option(CLI::App& app, backend& wish)
{
    const auto choose = [&wish](const std::string& name) {
        const std::map<std::string, backend> names{
            {"auto", backend::automatic}, {"host", backend::host}, {"device", backend::device}};
        const auto found = names.find(name);
        if (found == names.end())
            throw CLI::ValidationError("--backend", fmt::format("'{}' is none of auto, host, device", name));
        wish = found->second;
    };
    app.add_option_function<std::string>("--backend", choose, "auto (the GPU if there is one), host or device")
        ->type_name("NAME");
}

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
    return {false, "CPU, " + cpu_name()};
}

}  // namespace samples
