/// @file
/// @brief  Where the host has no memory: each allocation of each call fails in turn, and the error is out_of_memory.
#include <doctest/doctest.h>

#include <parprims/detail/buffer.hpp>
#include <parprims/parprims.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <list>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace pp = parprims;

namespace {

// Only the thread of the test runs out of memory: oneTBB ends the program where a thread of its own does that.
thread_local bool is_tested = false;
std::atomic<long> live{0};          // allocations that are not freed
std::atomic<long> left{-1};         // that succeed before one fails; negative: all do
std::atomic<bool> fails_on{false};  // whether those after that one fail too
std::atomic<bool> failed{false};    // whether one did

bool fails()
{
    const bool now = left >= 0 && (left.fetch_sub(1) == 0 || (fails_on && failed));
    if (now && fails_on)
        left = 0;
    if (now)
        failed = true;
    return now;
}

void* allocate(std::size_t bytes, std::size_t alignment)
{
    if (is_tested && fails())
        throw std::bad_alloc();
    void* const memory = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
    if (memory == nullptr)
        throw std::bad_alloc();
    ++live;
    return memory;
}

[[gnu::noinline]] void release(void* memory) noexcept  // or g++ sees that delete frees what new made
{
    live -= memory != nullptr ? 1 : 0;
    std::free(memory);
}

}  // namespace

// The other forms, as new[] and nothrow, call these.
void* operator new(std::size_t bytes)
{
    return allocate(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment)
{
    return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept
{
    release(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept
{
    release(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept
{
    release(memory);
}

namespace {

/// What became of a call one of whose allocations failed.
enum class outcome { success, out_of_memory, other };

/// Runs `call` with ever more allocations that succeed, until all do; `is_right()` is asked of the output after each error.
/// With several threads oneTBB allocates, too, and threads come and go: nothing is asked of bytes and leaks then.
template <class Call, class IsRight>
void check(const std::string& name, unsigned threads, Call call, IsRight is_right)
{
    CAPTURE(name);
    is_tested = true;
    call();  // what is made once and kept
    for (const bool all : {false, true})
        for (long succeed = 0;; ++succeed) {
            REQUIRE(succeed < 10000);
            outcome is = outcome::success;
            std::size_t bytes = 0;
            const long before = live;
            failed = false;
            fails_on = all;
            left = succeed;
            try {
                call();
                left = -1;
            } catch (const pp::out_of_memory& error) {
                left = -1;
                is = outcome::out_of_memory;
                bytes = std::string(error.what()).ends_with(" bytes of host memory") ? error.bytes() : 0;
            } catch (...) {
                left = -1;
                is = outcome::other;
            }
            CAPTURE(all);
            CAPTURE(succeed);
            if (threads == 1)
                CHECK(live == before);
            CHECK((is != outcome::success) == failed);
            if (!failed) {
                CHECK(succeed > 0);  // or there is nothing to fail
                break;
            }
            CHECK(is == outcome::out_of_memory);
            if (threads == 1)
                CHECK(bytes > 0);
            CHECK(is_right());
        }
}

template <class Call>
void check(const std::string& name, unsigned threads, Call call)
{
    check(name, threads, call, [] { return true; });
}

/// Needs a constructor, so that it cannot live on a stack of plain values.
struct counted {
    counted(std::uint32_t v = 0) : value(v) {}
    counted(const counted& other) : value(other.value) {}
    counted& operator=(const counted&) = default;
    std::uint32_t value;
};
struct add {
    counted operator()(const counted& a, const counted& b) const { return {a.value + b.value}; }
};

const std::vector<std::uint32_t> ones(300000, 1);
const std::vector<counted> objects(100000, counted(1));

}  // namespace

TEST_CASE("where TBB has no memory to start with, that is out_of_memory too")  // the first case: TBB has not started
{
    for (const std::size_t bytes : {0, 1000000, 3000000}) {
        CAPTURE(bytes);
        const pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            long pages = 0;
            std::ifstream("/proc/self/statm") >> pages;
            const rlim_t room = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE)) + bytes;
            const rlimit limit{room, room};
            setrlimit(RLIMIT_AS, &limit);
            try {
                _exit(pp::reduce(pp::host.threads(4), ones, 0u) == ones.size() ? 0 : 1);
            } catch (const pp::out_of_memory&) {
                _exit(2);
            } catch (const std::bad_alloc&) {
                _exit(3);
            } catch (const std::exception&) {  // a thread cannot be started
                _exit(4);
            }
        }
        int status = 0;
        REQUIRE(waitpid(child, &status, 0) == child);
        if (!WIFEXITED(status))
            continue;  // oneTBB has ended it, because a thread of its own had no memory
        CHECK(WEXITSTATUS(status) != 1);
        CHECK(WEXITSTATUS(status) != 3);
    }
}

TEST_CASE("a reduction without memory is out_of_memory, and writes nothing")
{
    for (const unsigned threads : {1u, 4u}) {
        CAPTURE(threads);
        const auto host = pp::host.threads(threads);
        check("reduce", threads, [&] { (void)pp::reduce(host, ones, 0u); });
        check("reduce of objects", threads, [&] { (void)pp::reduce(host, objects, counted(), add{}); });
        std::uint32_t out = 0;
        check(
            "reduce_into", threads,
            [&] {
                out = 77;
                pp::reduce_into(host, ones, &out, 0u);
            },
            [&] { return out == 77; });
        const auto twice = [](std::uint32_t x) { return 2 * x; };
        check("transform_reduce", threads, [&] { (void)pp::transform_reduce(host, ones, 0u, pp::plus{}, twice); });
    }
}

TEST_CASE("a scan without memory is out_of_memory")
{
    std::vector<std::uint32_t> out(ones.size());
    std::vector<counted> results(objects.size());
    for (const unsigned threads : {1u, 4u}) {
        CAPTURE(threads);
        const auto host = pp::host.threads(threads);
        check("inclusive_scan", threads, [&] { pp::inclusive_scan(host, ones, out.begin()); });
        check("exclusive_scan", threads, [&] { pp::exclusive_scan(host, ones, out.begin(), 5u); });
        check("scan of objects", threads, [&] { pp::inclusive_scan(host, objects, results.begin(), add{}); });
    }
    CHECK(out.back() == ones.size() - 1 + 5);
}

TEST_CASE("a histogram without memory is out_of_memory")
{
    std::vector<std::uint64_t> counts(300000);
    std::vector<float> sums(300000);
    const std::vector<std::uint8_t> bytes(100000, 3);
    for (const unsigned threads : {1u, 4u}) {
        CAPTURE(threads);
        const auto host = pp::host.threads(threads);
        check("few bins", threads, [&] { pp::histogram(host, ones, pp::regular_axis(10, 0u, 10u), counts.begin()); });
        check("bytes", threads, [&] { pp::histogram(host, bytes, pp::regular_axis(10, 0, 10), counts.begin()); });
        check("many bins", threads, [&] {
            pp::histogram(host, ones.begin(), ones.begin() + 1000, pp::regular_axis(300000, 0u, 300000u),
                          counts.begin());
        });
    }
    CHECK(counts[1] == 1000);
}

TEST_CASE("a variable axis without memory is out_of_memory")
{
    const std::vector<int> edges{1, 2, 3, 400};
    const std::list<int> list{1, 2, 3, 400};
    check("of the same type", 1, [&] { pp::variable_axis<int>{1, 2, 3, 400}; });
    check("of another type", 1, [&] { (void)pp::variable_axis<double>(edges).bins(); });
    check("of a list", 1, [&] { (void)pp::variable_axis<int>(list).bins(); });
}

TEST_CASE("the last copy of a variable axis frees its edges")
{
    const long before = live;
    {
        pp::variable_axis<int> assigned{1, 2};
        {
            const pp::variable_axis<int> axis{1, 2, 3, 400};
            pp::variable_axis<int> copy = axis;
            pp::variable_axis<int> moved = std::move(copy);
            copy = moved;
            assigned = copy;
            assigned = *&assigned;
            moved = pp::variable_axis<int>{5, 6};
        }
        CHECK(assigned.edges() == std::vector<int>{1, 2, 3, 400});
        CHECK(live == before + 3);  // the edges, the table, and what counts their owners
    }
    CHECK(live == before);
}

TEST_CASE("a vector of a buffer's elements without memory is out_of_memory")
{
    struct no_default {
        explicit no_default(int v) : value(v) {}
        int value;
    };
    check("values", 1, [] { pp::detail::filled_vector<int>(100, [](int* to) { std::fill_n(to, 100, 7); }); });
    check("objects", 1, [] {
        pp::detail::filled_vector<no_default>(100, [](no_default* to) { std::fill_n(to, 100, no_default(7)); });
    });
}

TEST_CASE("what an operator throws is passed on as it is, its bad_alloc too")
{
    struct own : std::bad_alloc {};
    const auto fail = [](std::uint32_t, std::uint32_t) -> std::uint32_t { throw own(); };
    for (const unsigned threads : {1u, 4u})
        CHECK_THROWS_AS((void)pp::reduce(pp::host.threads(threads), ones, 0u, fail), own);
}

TEST_CASE("out_of_memory needs no memory to be made")
{
    is_tested = true;
    fails_on = true;
    left = 0;
    bool made = false;
    try {
        throw pp::out_of_memory(12345678901234, "page-locked host memory");
    } catch (const pp::out_of_memory&) {
        made = true;
    } catch (...) {
    }
    left = -1;
    CHECK(made);
}
