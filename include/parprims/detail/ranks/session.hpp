/// @file
/// @brief  One call of all ranks: the reports that they exchange before and between its steps, so that they fail together.
#pragma once

#include <parprims/detail/host/sequence.hpp>
#include <parprims/error.hpp>
#include <parprims/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>

namespace parprims::detail::ranks {

enum class failure : std::uint32_t { none, refused, out_of_memory, other };

/// What a rank sends the others after a step.
struct report {
    std::uint64_t n = 0;      // elements of its slice
    std::uint64_t call = 0;   // identifies the function, the types and the sizes on which the ranks must agree
    std::uint64_t bytes = 0;  // that it could not allocate
    failure failed = failure::none;
    char text[228] = "";
};
static_assert(std::is_trivially_copyable_v<report> && sizeof(report) == 256);

/// FNV-1a over names.
class call_hash {
public:
    call_hash& add(std::string_view name)
    {
        for (const char c : name)
            add_byte(static_cast<unsigned char>(c));
        add_byte(0);
        return *this;
    }
    call_hash& add(std::uint64_t number)
    {
        for (unsigned byte = 0; byte < sizeof number; ++byte)
            add_byte(static_cast<unsigned char>(number >> (8 * byte)));
        return *this;
    }
    std::uint64_t value() const { return value_; }

private:
    void add_byte(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3u; }

    std::uint64_t value_ = 0xcbf29ce484222325u;
};

/// The hash of types on which the ranks must agree.
template <class... Types>
call_hash types_of()
{
#if defined(__GXX_RTTI)
    call_hash types;
    (types.add(typeid(Types).name()), ...);
    return types;
#else  // -fno-rtti; two lambdas of one function may have the same text
    return call_hash{}.add(__PRETTY_FUNCTION__);
#endif
}

template <class Communicator>
class session {
public:
    session(const char* function, Communicator& communicator, const call_hash& types)
        : function_(function), communicator_(communicator), call_(types),
          ranks_(static_cast<std::size_t>(communicator.size())), rank_(static_cast<std::size_t>(communicator.rank()))
    {
        if (ranks_ > few) {
            // A rank that fails before the first exchange must report it, too: the others would wait.
            std::uint64_t failed = 0;
            try {
                more_.resize(ranks_);
            } catch (const out_of_memory&) {
                failed = 1;
            }
            communicator_.all_reduce(&failed, 1, stream_view());
            if (failed != 0)
                throw out_of_memory(ranks_ * sizeof(report), "host memory of a rank");
            reports_ = more_.data();
        }
    }
    session(session&&) = delete;

    /// The first step: `check()` returns the number of elements of this rank's slice, and throws where an argument is bad.
    /// Afterwards every rank knows `n` of every rank. `size` is another number on which they must agree.
    template <class Check>
    void begin(Check check, std::uint64_t size = 0)
    {
        mine_.call = call_.add(function_).add(size).value();
        together([&] { mine_.n = check(); });
        for (std::size_t rank = 0; rank < ranks_; ++rank) {
            if (reports_[rank].call != reports_[0].call)
                throw invalid_argument(function_, "rank " + std::to_string(rank),
                                       "calls another function than rank 0, or with another type of values, operator "
                                       "or axis, or another number of bins");
            if (reports_[rank].n > static_cast<std::uint64_t>(PTRDIFF_MAX) - total_)
                throw invalid_argument(function_, "last", "the slices together have more elements than can be counted");
            total_ += reports_[rank].n;
        }
    }

    /// Does `work()` on this rank, and returns when every rank has done its own. Throws on every rank if one of them threw.
    template <class Work>
    void together(Work work)
    {
        std::exception_ptr thrown;
        try {
            work();
        } catch (...) {
            thrown = std::current_exception();
            describe_exception();
        }
        exchange(&mine_, reports_, sizeof(report));
        if (thrown)
            std::rethrow_exception(thrown);
        for (std::size_t rank = 0; rank < ranks_; ++rank)
            throw_failure_of(rank);
    }

    /// Every rank gets the `bytes` bytes of every rank, in rank order.
    void exchange(const void* mine, void* of_all, std::size_t bytes)
    {
        communicator_.all_gather(mine, of_all, bytes, stream_view());
    }

    std::size_t ranks() const { return ranks_; }
    std::size_t rank() const { return rank_; }
    std::size_t total() const { return static_cast<std::size_t>(total_); }
    std::size_t n(std::size_t rank) const { return static_cast<std::size_t>(reports_[rank].n); }

private:
    /// Of the exception that is being handled.
    void describe_exception()
    {
        mine_.failed = failure::other;
        try {
            throw;
        } catch (const invalid_argument& error) {
            mine_.failed = failure::refused;
            std::string_view text = error.what();
            if (text.starts_with(error.function()))
                text.remove_prefix(error.function().size() + 2);  // "function: "
            set_text(text);
        } catch (const out_of_memory& error) {
            mine_.failed = failure::out_of_memory;
            mine_.bytes = error.bytes();
        } catch (const std::bad_alloc&) {
            mine_.failed = failure::out_of_memory;
        } catch (const std::exception& error) {
            set_text(error.what());
        } catch (...) {
            set_text("an exception that is not a std::exception");
        }
    }

    void set_text(std::string_view text)
    {
        const std::size_t length = text.size() < sizeof mine_.text ? text.size() : sizeof mine_.text - 1;
        std::memcpy(mine_.text, text.data(), length);
        mine_.text[length] = '\0';
    }

    void throw_failure_of(std::size_t rank) const
    {
        const report& its = reports_[rank];
        const std::string name = "rank " + std::to_string(rank);
        switch (its.failed) {
        case failure::none: return;
        case failure::refused: throw invalid_argument(function_, name, its.text);
        case failure::out_of_memory: throw out_of_memory(its.bytes, "host memory of " + name);
        case failure::other: throw rank_error(function_, rank, its.text);
        }
        throw rank_error(function_, rank, "its GPU failed");  // all bits are set: see staged_communicator
    }

    // Reports of so many ranks need no allocation, which could fail on one rank before the first exchange.
    static constexpr std::size_t few = 64;

    const char* function_;
    Communicator& communicator_;
    call_hash call_;
    std::size_t ranks_;
    std::size_t rank_;
    std::uint64_t total_ = 0;
    report mine_;
    report of_few_[few];
    host::sequence<report> more_;
    report* reports_ = of_few_;
};

}  // namespace parprims::detail::ranks
