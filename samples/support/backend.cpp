#include "support/backend.hpp"

#include <parprims/device.hpp>

#include <fmt/format.h>

#include <fstream>
#include <string>
#include <thread>

namespace samples {

namespace {

std::string cpu_model()
{
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("model name"))
            if (const auto colon = line.find(": "); colon != std::string::npos)
                return line.substr(colon + 2);
    return "an unnamed model";
}

}  // namespace

place choose_place(backend wish)
{
    if (wish == backend::device || (wish == backend::automatic && parprims::device_count() > 0)) {
        const int id = parprims::current_device();
        return {true, fmt::format("GPU {}, {}", id, parprims::get_device_info(id).name)};
    }
    const unsigned threads = std::thread::hardware_concurrency();
    return {false, fmt::format("CPU, {} thread{} of {}", threads, threads == 1 ? "" : "s", cpu_model())};
}

}  // namespace samples
