#include "support/machine.hpp"

#include "support/text.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>
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

void check_memory(std::size_t bytes)
{
    std::ifstream info("/proc/meminfo");
    std::size_t kibibytes = 0;
    for (std::string word; info >> word;)
        if (word == "MemAvailable:" && info >> kibibytes && bytes / 1024 > kibibytes)
            throw std::runtime_error(fmt::format("this takes {} of memory, and {} are free", format_bytes(bytes),
                                                 format_bytes(1024 * kibibytes)));
}

std::string cpu_name()
{
    const unsigned threads = std::thread::hardware_concurrency();
    return fmt::format("{} thread{} of {}", threads, threads == 1 ? "" : "s", cpu_model());
}

}  // namespace samples
