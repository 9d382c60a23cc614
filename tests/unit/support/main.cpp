/// @file
/// @brief  The main function of every unit test: `--backend=host` or `--backend=device` picks the test cases, which are
///         the GPU's where their name has `device_backend` (a template's argument) or `[device]` in it.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <parprims/device.hpp>

#include <cstdio>
#include <cstring>
#include <sstream>

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

enum class backend { all, host, device };

bool parse(int argc, char** argv, backend& chosen)
{
    for (int i = 1; i < argc; ++i) {
        if (std::strncmp(argv[i], "--backend", 9) != 0)
            continue;
        if (std::strcmp(argv[i], "--backend=host") == 0)
            chosen = backend::host;
        else if (std::strcmp(argv[i], "--backend=device") == 0)
            chosen = backend::device;
        else
            return false;
    }
    return true;
}

}  // namespace

int main(int argc, char** argv)
{
    backend chosen = backend::all;
    if (!parse(argc, argv, chosen)) {
        std::fprintf(stderr, "%s: the backends are --backend=host and --backend=device\n", argv[0]);
        return 2;
    }
    doctest::Context context;
    if (chosen == backend::host)
        context.addFilter("test-case-exclude", device_cases);
    if (chosen == backend::device)
        context.addFilter("test-case", device_cases);

    if (chosen == backend::device && parprims::device_count() == 0) {
        const char* count[] = {argv[0], "--count"};  // a query: nothing runs
        std::ostringstream unread;
        context.setCout(&unread);
        context.applyCommandLine(2, count);
        context.run();
        std::printf("skipped: no GPU (%u test cases)\n", selected_cases);
        return skipped;
    }
    context.applyCommandLine(argc, argv);
    const int result = context.run();
    if (context.shouldExit())  // --help, --list-test-cases and the like
        return result;
    if (selected_cases == 0) {
        std::fprintf(stderr, "%s: the filters select no test case\n", argv[0]);
        return 1;
    }
    return result;
}
