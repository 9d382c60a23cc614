// Which memory kernels may access, and the check of each access.
#include "launch_state.hpp"

namespace parprims::detail::simt::executor {

namespace {

struct memory_range {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    const char* name = nullptr;  // of an array, see name_memory
    std::size_t element_bytes = 1;

    bool has(std::uintptr_t first, std::size_t count) const
    {
        const std::size_t offset = first - begin;
        return offset <= bytes && count <= bytes - offset;
    }
    /// From the nearer end.
    std::size_t distance(std::uintptr_t address) const
    {
        return address < begin ? begin - address : address - begin < bytes ? 0 : address - begin - bytes;
    }
};

/// Of add_memory, in ascending order. Never destroyed: memory may live as long as the program.
std::vector<memory_range>& ranges()
{
    static auto* const all = new std::vector<memory_range>;
    return *all;
}

/// Ranges that accesses have found, by page.
memory_range found[64];

memory_range& found_at(std::uintptr_t address)
{
    return found[address / 4096 % 64];
}

/// The number of ranges that begin at or before an address.
std::size_t ranges_to(std::uintptr_t address)
{
    std::size_t first = 0;
    std::size_t last = ranges().size();
    while (first != last) {
        const std::size_t middle = first + (last - first) / 2;
        if (ranges()[middle].begin <= address)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

memory_range shared_range(const block_state& block)
{
    return {reinterpret_cast<std::uintptr_t>(block.shared), current_launch->shared_bytes(), nullptr, 1};
}

/// The element of a named array that would be at an address, as `in[100], and in has 100 elements`.
std::string missing_element(const memory_range& range, std::uintptr_t address)
{
    const auto offset = static_cast<std::ptrdiff_t>(address - range.begin);
    const auto element = static_cast<std::ptrdiff_t>(range.element_bytes);
    const std::size_t count = range.bytes / range.element_bytes;
    return std::string(range.name) + "[" + std::to_string((offset < 0 ? offset - element + 1 : offset) / element) +
           "], and " + range.name + " has " + std::to_string(count) + (count == 1 ? " element" : " elements");
}

/// `array`: where its array begins, if that is known; otherwise the nearest memory is named.
[[noreturn, gnu::cold]] void refuse_outside(const thread_state& thread, std::uintptr_t first, std::size_t bytes,
                                            site where, const memory_range* array = nullptr)
{
    const cluster_state& cluster = *thread.parent->cluster;
    memory_range nearest = shared_range(*thread.parent);
    const char* kind = " bytes of shared memory";
    for (unsigned rank = 0; rank < cluster.count; ++rank) {
        const block_state& other = *cluster.blocks[rank];
        if (other.live == 0 && shared_range(other).has(first, 1))
            fail(name_of(thread) + " accesses the shared memory of block " + std::to_string(other.index) +
                     ", which has returned",
                 where, fault::out_of_bounds);
    }
    for (const memory_range& range : ranges())
        if (array != nullptr ? &range == array : range.distance(first) < nearest.distance(first)) {
            nearest = range;
            kind = " bytes of global memory";
        }
    if (nearest.name != nullptr)
        fail(name_of(thread) + " accesses " + missing_element(nearest, first), where, fault::out_of_bounds);
    std::string place;
    if (constexpr std::size_t near = 1 << 20; array != nullptr || nearest.distance(first) < near)
        place = ": byte " + std::to_string(static_cast<std::ptrdiff_t>(first - nearest.begin)) + " of " +
                std::to_string(nearest.bytes) + kind;
    fail(name_of(thread) + " accesses " + std::to_string(bytes) + " bytes outside of its memory" + place, where,
         fault::out_of_bounds);
}

}  // namespace

void add_memory(const void* memory, std::size_t bytes)
{
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    ranges().insert(ranges().begin() + static_cast<std::ptrdiff_t>(ranges_to(begin)), {begin, bytes, nullptr, 1});
}

void remove_memory(const void* memory)
{
    const std::size_t after = ranges_to(reinterpret_cast<std::uintptr_t>(memory));
    ranges().erase(ranges().begin() + static_cast<std::ptrdiff_t>(after) - 1);
    for (memory_range& range : found)
        range = {};
}

void name_memory(const void* memory, const char* name, std::size_t bytes)
{
    const std::size_t after = ranges_to(reinterpret_cast<std::uintptr_t>(memory));
    ranges()[after - 1].name = name;
    ranges()[after - 1].element_bytes = bytes;
}

std::string place_of(const thread_state& thread, std::uintptr_t address)
{
    const memory_range shared = shared_range(*thread.parent);
    if (shared.has(address, 1))
        return "word " + std::to_string((address - shared.begin) / 4) + " of shared memory";
    const std::size_t after = ranges_to(address);
    const memory_range& range = ranges()[after == 0 ? 0 : after - 1];
    const std::size_t offset = address - range.begin;
    if (range.name != nullptr)
        return std::string(range.name) + "[" + std::to_string(offset / range.element_bytes) + "]";
    return "byte " + std::to_string(offset) + " of " + std::to_string(range.bytes) + " bytes of global memory";
}

bool is_global_memory(const void* memory, std::size_t bytes)
{
    const auto first = reinterpret_cast<std::uintptr_t>(memory);
    if (found_at(first).has(first, bytes))
        return true;
    const std::size_t after = ranges_to(first);
    if (after == 0 || !ranges()[after - 1].has(first, bytes))
        return false;
    found_at(first) = ranges()[after - 1];
    return true;
}

bool is_in_shared_memory(const thread_state& thread, std::uintptr_t first, std::size_t bytes)
{
    const cluster_state& cluster = *thread.parent->cluster;
    for (unsigned rank = 0; rank < cluster.count; ++rank)
        if (cluster.blocks[rank]->live != 0 && shared_range(*cluster.blocks[rank]).has(first, bytes))
            return true;
    return false;
}

void refuse_index(std::size_t index, std::size_t size, site where)
{
    fail(name_of(launch_state::running()) + " accesses element " + std::to_string(index) + " of an array of " +
             std::to_string(size),
         where, fault::out_of_bounds);
}

void check_element(const void* array, const void* element, std::size_t bytes, site where)
{
    const std::size_t after = ranges_to(reinterpret_cast<std::uintptr_t>(array));
    if (current == nullptr || after == 0)
        return;
    const memory_range& range = ranges()[after - 1];
    const auto first = reinterpret_cast<std::uintptr_t>(element);
    if (range.has(reinterpret_cast<std::uintptr_t>(array), 1) && !range.has(first, bytes))
        refuse_outside(launch_state::running(), first, bytes, where, &range);
}

void check_access(const void* address, std::size_t bytes, std::size_t alignment, site where)
{
    const auto first = reinterpret_cast<std::uintptr_t>(address);
    if ((first & (alignment - 1)) != 0)
        fail("misaligned access of " + std::to_string(alignment) + " bytes", where, fault::misaligned);
    if (current == nullptr || found_at(first).has(first, bytes))
        return;
    const thread_state& thread = launch_state::running();
    if (!is_in_shared_memory(thread, first, bytes) && !is_global_memory(address, bytes))
        refuse_outside(thread, first, bytes, where);
}

void record_access(access what, const void* address, std::size_t bytes, std::size_t alignment, site where)
{
    check_access(address, bytes, alignment, where);
    if (is_finding_races)
        find_race(what, address, bytes, where);
    if (is_counting)
        count_access(what, address, bytes, alignment, where);
}

}  // namespace parprims::detail::simt::executor
