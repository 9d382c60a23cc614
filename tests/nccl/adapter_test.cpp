/// @file
/// @brief  What nccl_communicator makes of the answers of NCCL: a stand-in for it, so that neither NCCL nor a GPU is needed.
#include <doctest/doctest.h>

#include <parprims/distributed.hpp>
#include <parprims/nccl.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace pp = parprims;

static_assert(pp::communicator<pp::nccl_communicator>);

namespace {

template <class Call>
std::string error_of(Call call)
{
    try {
        call();
    } catch (const pp::nccl_error& error) {
        return std::to_string(error.status()) + " " + error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("calls reach NCCL as bytes and as counters, in the stream of the call")
{
    ncclComm group;
    const pp::nccl_communicator world(&group);
    CHECK(world.rank() == 1);
    CHECK(world.size() == 3);
    auto* const stream = reinterpret_cast<CUstream_st*>(&group);
    std::uint64_t counters[5] = {};
    world.all_gather(nullptr, nullptr, 24, stream);
    CHECK((group.count == 24 && group.type == ncclUint8 && group.stream == stream));
    world.all_reduce(counters, 5, stream);
    CHECK((group.count == 5 && group.type == ncclUint64 && group.stream == stream));
}

TEST_CASE("an error of NCCL is typed, with its text")
{
    CHECK(error_of([] { pp::nccl_communicator(nullptr); }) == "4 ncclCommUserRank: invalid argument");
    ncclComm group;
    const pp::nccl_communicator world(&group);
    group.returned = ncclRemoteError;
    CHECK(error_of([&] { world.all_gather(nullptr, nullptr, 1, {}); }) ==
          "6 ncclAllGather: remote process exited (socket closed)");
}

TEST_CASE("a communicator that does not block is asked until its call is enqueued")
{
    ncclComm group;
    const pp::nccl_communicator world(&group);
    group.returned = ncclInProgress;
    group.asked = {ncclSuccess, ncclInProgress, ncclInProgress};
    CHECK(error_of([&] { world.all_gather(nullptr, nullptr, 1, {}); }) == "");
    CHECK(group.asked.empty());
    group.asked = {ncclRemoteError, ncclInProgress};
    CHECK(error_of([&] { world.all_gather(nullptr, nullptr, 1, {}); }).starts_with("6 ncclAllGather: "));
}

TEST_CASE("a lost rank is reported where a call waits, and an operation under way is not an error")
{
    ncclComm group;
    const pp::nccl_communicator world(&group);
    group.asked = {ncclRemoteError, ncclInProgress, ncclSuccess};
    CHECK(error_of([&] { world.check(); }) == "");
    CHECK(error_of([&] { world.check(); }) == "");
    CHECK(error_of([&] { world.check(); }) == "6 an enqueued operation of NCCL: remote process exited (socket closed)");
}

TEST_CASE("a call that waits longer than the timeout ends with what NCCL says")
{
    using namespace std::chrono_literals;
    ncclComm group;
    const pp::nccl_communicator without_limit(&group);
    CHECK(error_of([&] { without_limit.check(1h); }) == "");
    const pp::nccl_communicator world(&group, 2s);
    CHECK(error_of([&] { world.check(1999ms); }) == "");
    group.asked = {ncclInProgress};
    CHECK(
        error_of([&] { world.check(2s); }).starts_with("7 an enqueued operation of NCCL, at the end of the timeout: "));
}

TEST_CASE("a call that is never enqueued ends with the timeout")
{
    using namespace std::chrono_literals;
    ncclComm group;
    const pp::nccl_communicator world(&group, 1ms);
    group.returned = ncclInProgress;
    group.asked.assign(10'000'000, ncclInProgress);
    CHECK(error_of([&] { world.all_gather(nullptr, nullptr, 1, {}); }).starts_with("7 ncclAllGather: "));
}
