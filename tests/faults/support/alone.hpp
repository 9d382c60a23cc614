/// @file
/// @brief  A group of one rank for tests of calls over slices, and the text of what a call throws.
#pragma once

#include <parprims/stream_view.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>

/// A group of one rank. The memory of the stand-in's GPUs is the host's.
struct alone {
    std::function<void()> afterwards = [] {};
    void* received = nullptr;
    unsigned calls = 0;

    std::size_t rank() const { return 0; }
    std::size_t size() const { return 1; }
    void all_gather(const void* send, void* recv, std::size_t bytes, parprims::stream_view)
    {
        std::memcpy(recv, send, bytes);
        received = recv;
        ++calls;
        afterwards();
    }
    void all_reduce(std::uint64_t*, std::size_t, parprims::stream_view)
    {
        ++calls;
        afterwards();
    }
};

template <class Error, class Call>
std::string text_of(Call call)
{
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}
