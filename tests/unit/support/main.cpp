/// @file
/// @brief  The main function of every unit test: `--backend=host` or `--backend=device` picks the test cases, which are
///         the GPU's where their name has `device_backend` (a template's argument) or `[device]` in it.
///
/// A test case with `[needs X]` in its name is left out where the machine has no X, and named as skipped; X is one of the
/// list below. `--needs=X` picks these cases alone, `--needs=nothing` the others, so that ctest can report them apart.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <parprims/device.hpp>

#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr int skipped = 77;  // SKIP_RETURN_CODE in CMakeLists.txt
constexpr const char* device_cases = "*device_backend*,*[device]*";

unsigned selected_cases = 0;

/// Learns how many test cases the filters select.
struct case_counter : doctest::IReporter {
    explicit case_counter(const doctest::ContextOptions&) {}
    void report_query(const doctest::QueryData& query) override { note(*query.run_stats); }
    void test_run_end(const doctest::TestRunStats& stats) override { note(stats); }
    void test_run_start() override {}
    void test_case_start(const doctest::TestCaseData&) override {}
    void test_case_reenter(const doctest::TestCaseData&) override {}
    void test_case_end(const doctest::CurrentTestCaseStats&) override {}
    void test_case_exception(const doctest::TestCaseException&) override {}
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData&) override {}
    void log_message(const doctest::MessageData&) override {}
    void test_case_skipped(const doctest::TestCaseData&) override {}

private:
    static void note(const doctest::TestRunStats& stats) { selected_cases = stats.numTestCasesPassingFilters; }
};

REGISTER_LISTENER("case_counter", 1, case_counter);

/// What a machine may lack.
struct requirement {
    const char* name;
    bool (*is_met)();
    const char* otherwise;
};

bool has_unreachable_host_memory()
{
    return parprims::device_count() > 0 &&
           !parprims::get_device_info(parprims::current_device()).reaches_pageable_memory;
}

bool has_fma()
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
    return false;
#endif
}

constexpr requirement requirements[] = {
    {"two GPUs", [] { return parprims::device_count() >= 2; }, "fewer than two GPUs"},
    {"no GPU", [] { return parprims::device_count() == 0; }, "there is a GPU"},
    {"unreachable host memory", has_unreachable_host_memory, "the GPU reaches all memory of the host"},
    {"AVX2 and FMA", has_fma, "the CPU has no AVX2 and FMA"},
};

enum class backend { all, host, device };

struct choice {
    backend where = backend::all;
    std::string needs;  // empty: whatever they need
};

bool parse(int argc, char** argv, choice& chosen)
{
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--backend=host")
            chosen.where = backend::host;
        else if (argument == "--backend=device")
            chosen.where = backend::device;
        else if (argument.starts_with("--needs="))
            chosen.needs = argument.substr(std::string("--needs=").size());
        else if (argument.starts_with("--backend"))
            return false;
    }
    for (const requirement& known : requirements)
        if (chosen.needs == known.name)
            return true;
    return chosen.needs.empty() || chosen.needs == "nothing";
}

/// The cases of a backend that need `what`.
std::string needing(const std::string& what, backend where)
{
    return (where == backend::device ? "*[device] [needs " : "*[needs ") + what + "]*";
}

/// Selects what was chosen.
void select(doctest::Context& context, const choice& chosen)
{
    if (chosen.where == backend::host)
        context.addFilter("test-case-exclude", device_cases);
    if (chosen.needs == "nothing")
        context.addFilter("test-case-exclude", "*[needs *");
    if (!chosen.needs.empty() && chosen.needs != "nothing")
        context.addFilter("test-case", needing(chosen.needs, chosen.where).c_str());
    else if (chosen.where == backend::device)
        context.addFilter("test-case", device_cases);
}

/// How many test cases that is, of those that the command line selects. Nothing runs.
unsigned count_cases(int argc, char** argv, const choice& chosen)
{
    doctest::Context context;
    std::ostringstream unread;
    std::vector<const char*> query(argv, argv + argc);
    query.push_back("--count");
    select(context, chosen);
    context.setCout(&unread);
    context.applyCommandLine(static_cast<int>(query.size()), query.data());
    context.run();
    return selected_cases;
}

}  // namespace

int main(int argc, char** argv)
{
    choice chosen;
    if (!parse(argc, argv, chosen)) {
        std::fprintf(stderr, "%s: the backends are --backend=host and --backend=device; --needs is nothing, or one of:",
                     argv[0]);
        for (const requirement& known : requirements)
            std::fprintf(stderr, " '%s'", known.name);
        std::fprintf(stderr, "\n");
        return 2;
    }
    if (chosen.where == backend::device && parprims::device_count() == 0) {
        std::printf("skipped: no GPU (%u test cases)\n", count_cases(argc, argv, chosen));
        return skipped;
    }
    doctest::Context context;
    select(context, chosen);
    bool leaves_out = false;
    for (const requirement& known : requirements) {
        if (!chosen.needs.empty() && chosen.needs != known.name)
            continue;
        const unsigned cases = count_cases(argc, argv, {chosen.where, known.name});
        if (cases == 0 || known.is_met())
            continue;
        std::printf("skipped: %s (%u test cases)\n", known.otherwise, cases);
        context.addFilter("test-case-exclude", needing(known.name, backend::all).c_str());
        leaves_out = true;
    }
    context.applyCommandLine(argc, argv);
    const int result = context.run();
    if (context.shouldExit())  // --help, --list-test-cases and the like
        return result;
    if (selected_cases == 0 && leaves_out)
        return skipped;
    if (selected_cases == 0) {
        std::fprintf(stderr, "%s: the filters select no test case\n", argv[0]);
        return 1;
    }
    return result;
}
