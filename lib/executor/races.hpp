/// @file
/// @brief  Finds races: two accesses of the same bytes, one of which writes, that nothing orders. Two atomic operations do not race.
///
/// A barrier orders accesses of the threads of a block, sync_warp those of lanes, an atomic operation with acquire and release those
/// of threads that do it on the same word. So each thread has a vector clock. Its entries for threads of the block are the barriers
/// that the block has passed and the times of the lanes of the warp; others come with atomic operations and are few.
#pragma once

#include <parprims/detail/executor/runtime.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace parprims::detail::simt::executor {

struct block_state;
struct thread_state;

/// An access of bytes of a word of 4 bytes, with which a later access may race.
struct word_access {
    std::size_t block;
    unsigned thread;
    unsigned lane;
    unsigned warp;
    unsigned generation;  // barriers that the block had passed
    unsigned time;        // of the thread's clock
    access what;
    std::uint8_t bytes;  // bit b: byte b of the word
    site where;
};

struct word_accesses {
    std::vector<word_access> all;
    std::uint8_t written = 0;  // bytes that were ever written
};

struct known_thread {
    std::size_t block;
    unsigned thread;
    unsigned time;  // the accesses of the thread up to this time are known
};

struct known_block {
    std::size_t block;
    unsigned generation;  // the accesses before this barrier are known
};

/// What came with atomic operations.
struct knowledge {
    std::vector<known_thread> threads;
    std::vector<known_block> blocks;

    void add(known_thread thread);
    void add(known_block block);
    void join(const knowledge& other);
    bool is_empty() const { return threads.empty() && blocks.empty(); }
};

struct thread_clock {
    unsigned time = 1;        // changes when other threads may learn of the accesses so far
    unsigned lanes[64] = {};  // the time of each lane of the warp up to which its accesses are known
    knowledge others;
};

/// Of a resident block.
struct block_races {
    std::vector<thread_clock> clocks;
    std::vector<word_accesses> shared;
    // The first read of shared memory that was not written. Refused at the next barrier: until then the write may come, and be a race.
    std::string not_written;
    site not_written_at{};
};

struct word_address {
    std::uint64_t word;
    bool operator==(const word_address&) const = default;
};

struct hash_of_word {
    std::size_t operator()(word_address address) const { return address.word * 0x9E3779B97F4A7C15u >> 20; }
};

class race_log {
public:
    void start(block_state& block, std::size_t shared_bytes);
    void record(const thread_state& thread, access what, std::uintptr_t address, std::size_t bytes, site where);
    /// All threads of the block are at a barrier, and its generation has changed.
    void synchronise(block_state& block);
    /// These lanes of a warp are in sync_warp.
    void synchronise(block_state& block, unsigned warp, std::uint64_t lanes);
    /// The thread acquires what others released at the word, and releases its own accesses.
    void synchronise(const thread_state& thread, const void* word);
    /// All threads of the block are at a barrier, or have returned: refuses what they read that no thread had written.
    static void check_written(block_state& block);

private:
    void record(word_accesses& word, const thread_state& thread, access what, std::uint8_t bytes,
                std::uintptr_t address, site where);

    std::unordered_map<word_address, word_accesses, hash_of_word> global_;
    std::unordered_map<word_address, knowledge, hash_of_word> released_;
};

}  // namespace parprims::detail::simt::executor
