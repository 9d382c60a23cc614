#include "loop.hpp"

#include <parprims/error.hpp>

#include <doctest/doctest.h>

#include <cuda_runtime_api.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>

namespace {

namespace pp = parprims;
using stand_in::account;
using stand_in::failure;
using stand_in::fault;

/// What a child tells its parent, in memory that they share.
struct outcome {
    bool is_reached;       // the fault
    account kept;          // after a successful call
    char failed_call[64];  // the first
    char complaint[1000];
};

unsigned tried_faults = 0;

template <std::size_t N>
void write_text(char (&to)[N], const std::string& text)
{
    std::snprintf(to, N, "%s", text.c_str());
}

bool has(const std::vector<std::string>& names, const std::string& name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// How an error of the library names a call.
std::string name_in_errors(const std::string& call)
{
    return call == "cudaLaunchKernelExC" || call == "cudaFuncSetAttribute" ? "kernel launch" : call;
}

/// Whether nothing was lost by a failure that nobody heard of.
bool may_be_silent(const scenario& tried, int home)
{
    for (const std::string& name : stand_in::failed_calls()) {
        const bool is_allowed = (" " + tried.may_be_silent + " ").find(" " + name + " ") != std::string::npos;
        if (!gives_back(name) && !is_allowed && !(name == "cudaSetDevice" && stand_in::only_restored_to(home)))
            return false;
    }
    return true;
}

std::string judge(const pp::cuda_error& error)
{
    const auto& statuses = stand_in::failed_statuses();
    const std::string text = error.what();
    const bool is_relaxed_capture = has(stand_in::failed_calls(), "cudaThreadExchangeStreamCaptureMode") &&
                                    error.status() == cudaErrorStreamCaptureUnsupported;
    if (is_relaxed_capture)
        return {};
    if (std::find(statuses.begin(), statuses.end(), error.status()) == statuses.end())
        return "cuda_error with the status " + std::to_string(error.status()) + ", which no call returned: " + text;
    if (error.status() == cudaErrorLaunchFailure)
        return text.find("context lost") != std::string::npos ? "" : "not named as a lost context: " + text;
    for (const std::string& name : stand_in::failed_calls())
        if (error.call().find(name_in_errors(name)) != std::string::npos)
            return {};
    return "cuda_error that names none of the calls that failed: " + text;
}

std::string judge(const pp::out_of_memory& error, const std::function<bool()>& is_untouched)
{
    const auto& statuses = stand_in::failed_statuses();
    if (std::find(statuses.begin(), statuses.end(), cudaErrorMemoryAllocation) == statuses.end())
        return std::string("out_of_memory, but there was memory: ") + error.what();
    if (error.bytes() == 0)
        return "out_of_memory without the bytes asked for";
    if (is_untouched && !is_untouched())
        return "out_of_memory after the output was written";
    return {};
}

/// Makes the call with the fault armed.
std::string try_once(const scenario& tried, const prepared& ready, bool is_warm, int home)
{
    try {
        ready.call();
    } catch (const pp::cuda_error& error) {
        return judge(error);
    } catch (const pp::out_of_memory& error) {
        return judge(error, is_warm ? nullptr : ready.is_untouched);  // the call before has written
    } catch (const std::exception& error) {
        return std::string("an error of another type: ") + error.what();
    } catch (...) {
        return "something that is no std::exception";
    }
    if (may_be_silent(tried, home))
        return {};
    return "success, as if nothing had failed";
}

bool keeps_more(const account& a, const account& b)
{
    return a.device_memory > b.device_memory || a.device_bytes > b.device_bytes || a.pinned_memory > b.pinned_memory ||
           a.pinned_bytes > b.pinned_bytes || a.pools > b.pools || a.streams > b.streams || a.events > b.events ||
           a.graphs > b.graphs || a.user_objects > b.user_objects;
}

/// A call that finds this in the runtime has to leave it there, and may not take it for its own.
void leave_error_of_the_users()
{
    const stand_in::aside own;
    cudaSetDevice(stand_in::gpus);
}

/// What a child does. `reference`: what a first call keeps, where that is known already.
std::string attempt(const scenario& tried, const fault& planned, bool is_warm, const account* reference, outcome& told)
{
    const prepared ready = tried.prepare();
    if (is_warm)
        ready.call();
    const account before = stand_in::live();
    if (planned.call == 0)
        leave_error_of_the_users();
    stand_in::arm(planned);
    std::string complaint = try_once(tried, ready, is_warm, before.device);
    stand_in::disarm();
    const account after = stand_in::live();
    told.is_reached = !stand_in::failed_calls().empty();
    write_text(told.failed_call, told.is_reached ? stand_in::failed_calls().front() : "none");
    if (!complaint.empty())
        return complaint;
    if (!stand_in::misuse().empty())
        return "misuse: " + stand_in::misuse();
    if (planned.call == 0 && cudaGetLastError() != cudaErrorInvalidDevice)
        return "took an error of the user's out of the runtime";
    if (cudaPeekAtLastError() != cudaSuccess)
        return "left an error in the runtime: " + std::to_string(cudaPeekAtLastError());
    if (after.device != before.device || after.capture_mode != before.capture_mode)
        return "not restored: " + to_string(after) + " after " + to_string(before);
    if (is_warm && after != before)
        return "keeps " + to_string(after) + " of " + to_string(before);
    if (reference != nullptr && keeps_more(after, *reference))
        return "keeps " + to_string(after) + ", more than the " + to_string(*reference) + " of a success";

    try {
        ready.call();
        told.kept = stand_in::live();
        ready.call();
    } catch (const std::exception& error) {
        return std::string("a later call fails: ") + error.what();
    }
    if (!stand_in::misuse().empty())
        return "misuse by a later call: " + stand_in::misuse();
    if (reference != nullptr && told.kept != *reference)
        return "the next call keeps " + to_string(told.kept) + ", not the " + to_string(*reference) + " of a success";
    if (stand_in::live() != told.kept)
        return "grows call by call: " + to_string(stand_in::live()) + " after " + to_string(told.kept);
    return {};
}

outcome* shared_outcome()
{
    static void* const memory =
        mmap(nullptr, sizeof(outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return static_cast<outcome*>(memory);
}

/// An exception that leaves a destructor or another noexcept function ends the program: says so first.
void tell_of_end()
{
    outcome& told = *shared_outcome();
    const auto& failed = stand_in::failed_calls();
    write_text(told.failed_call, failed.empty() ? "none" : failed.front());
    write_text(told.complaint, "std::terminate: an exception left a function that may not throw");
    _exit(1);
}

/// Runs `body`, which returns a complaint, in a process of its own.
template <class Body>
outcome in_child(Body body)
{
    outcome& told = *shared_outcome();
    told = {};
    std::fflush(nullptr);
    std::cout.flush();
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL})
            std::signal(signal, SIG_DFL);  // doctest's belong to the parent
        std::set_terminate(tell_of_end);
        write_text(told.complaint, body(told));
        _exit(0);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    if (WIFSIGNALED(status))
        write_text(told.complaint, "killed by signal " + std::to_string(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 0 && told.complaint[0] == '\0')
        write_text(told.complaint, "the process ended with " + std::to_string(WEXITSTATUS(status)));
    return told;
}

std::string to_string(const fault& planned, bool is_warm)
{
    static constexpr const char* names[] = {"unknown",   "no memory",  "context lost",
                                            "unloading", "old driver", "wrong binary"};
    return std::string(names[static_cast<int>(planned.how)]) + (planned.from_then_on ? ", from then on" : ", once") +
           (is_warm ? ", warm" : ", cold");
}

void report(const scenario& tried, const fault& planned, bool is_warm, const outcome& told)
{
    if (told.complaint[0] == '\0')
        return;
    FAIL_CHECK(tried.function << ", k = " << planned.call << ", " << told.failed_call << " ("
                              << to_string(planned, is_warm) << "): " << told.complaint);
}

/// At the end of a program what was kept is given back by destructors, while the runtime goes away.
void check_end(const scenario& tried)
{
    const outcome told = in_child([&](outcome& about) -> std::string {
        {
            const prepared ready = tried.prepare();
            ready.call();
        }
        stand_in::arm({1, true, failure::unloading});
        write_text(about.failed_call, "whatever comes after main");
        std::exit(0);
    });
    report(tried, {0, true, failure::unloading}, true, told);
}

}  // namespace

bool gives_back(const std::string& call)
{
    static constexpr std::array calls{
        "cudaFree",         "cudaFreeAsync",      "cudaFreeHost",          "cudaStreamDestroy",
        "cudaEventDestroy", "cudaMemPoolDestroy", "cudaUserObjectRelease", "cudaThreadExchangeStreamCaptureMode"};
    return std::find(calls.begin(), calls.end(), call) != calls.end();
}

unsigned faults_tried()
{
    return tried_faults;
}

std::string complaint_about(const scenario& tried, const fault& planned, bool is_warm)
{
    const outcome told = in_child([&](outcome& about) { return attempt(tried, planned, is_warm, nullptr, about); });
    return told.complaint;
}

std::string error_of(const scenario& tried, const fault& planned)
{
    const outcome told = in_child([&](outcome&) -> std::string {
        const prepared ready = tried.prepare();
        stand_in::arm(planned);
        try {
            ready.call();
        } catch (const std::exception& error) {
            return error.what();
        }
        return {};
    });
    return told.complaint;
}

void check_every_fault(const scenario& tried)
{
    const outcome success = in_child([&](outcome& about) { return attempt(tried, {}, false, nullptr, about); });
    report(tried, {}, false, success);
    if (success.complaint[0] != '\0')
        return;
    for (const bool is_warm : {false, true})
        for (const failure how : {failure::unknown, failure::no_memory, failure::lost})
            for (const bool from_then_on : {false, true}) {
                fault planned{1, from_then_on, how};
                for (;; ++planned.call) {
                    REQUIRE(planned.call < 1000);
                    const outcome told = in_child(
                        [&](outcome& about) { return attempt(tried, planned, is_warm, &success.kept, about); });
                    report(tried, planned, is_warm, told);
                    tried_faults += told.is_reached;
                    if (!told.is_reached)
                        break;
                }
                CHECK_MESSAGE((planned.call > 1 || is_warm), tried.function << " makes no call of the runtime");
            }
    check_end(tried);
}
