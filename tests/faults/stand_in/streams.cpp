/// @file
/// @brief  Streams, events and the capture of graphs in the stand-in. What is enqueued is done at once.
#include "state.hpp"

#include <algorithm>

namespace stand_in {

bool is_default(cudaStream_t stream)
{
    return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

bool is_stream(const char* name, cudaStream_t stream)
{
    if (stream != nullptr && (is_default(stream) || now().streams.count(stream) != 0))
        return true;
    misused(name, stream == nullptr ? "null is another stream in another file" : "no such stream is live");
    return false;
}

cudaError_t refuse_in_capture(const char* name)
{
    if (now().capture_mode == cudaStreamCaptureModeRelaxed)
        return cudaSuccess;
    const auto& failed = now().failed;  // whoever could not relax the mode is not to blame
    const bool tried = std::find(failed.begin(), failed.end(), "cudaThreadExchangeStreamCaptureMode") != failed.end();
    cudaError_t status = cudaSuccess;
    for (CUstream_st* const stream : now().streams)
        if (stream->capture != nullptr && stream->mode != cudaStreamCaptureModeRelaxed) {
            stream->is_spoilt = true;
            status = cudaErrorStreamCaptureUnsupported;
            if (!tried)
                misused(name, "spoils a capture");
        }
    return status;
}

void set_late(CUstream_st* stream, bool is_late)
{
    stream->is_late = is_late;
    stream->delay += is_late;
}

namespace {

/// What may not be asked of a stream that is being captured.
cudaError_t refuse_captured(const char* name, cudaStream_t stream)
{
    if (!is_stream(name, stream))
        return cudaErrorInvalidResourceHandle;
    if (is_default(stream) || stream->capture == nullptr)
        return cudaSuccess;
    stream->is_spoilt = true;
    return misused(name, "the stream is being captured", cudaErrorStreamCaptureUnsupported);
}

cudaError_t check_event(const char* name, cudaEvent_t moment)
{
    return now().events.count(moment) != 0 ? cudaSuccess : misused(name, "no such event is live");
}

bool is_capturing(cudaStream_t stream)
{
    return !is_default(stream) && stream->capture != nullptr;
}

}  // namespace
}  // namespace stand_in

using namespace stand_in;

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned)
{
    return call("cudaStreamCreateWithFlags", [&] {
        *stream = new CUstream_st;
        (*stream)->device = now().device;
        (*stream)->id = now().next_stream_id++;
        now().streams.insert(*stream);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return stubborn_call("cudaStreamDestroy", [&] {
        if (now().streams.erase(stream) == 0)
            return misused("cudaStreamDestroy", "no such stream is live");
        delete stream;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return call("cudaStreamSynchronize", [&] { return refuse_captured("cudaStreamSynchronize", stream); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t moment, unsigned)
{
    return call("cudaStreamWaitEvent", [&] {
        return is_stream("cudaStreamWaitEvent", stream) ? check_event("cudaStreamWaitEvent", moment)
                                                        : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device)
{
    return call("cudaStreamGetDevice", [&] {
        const cudaError_t status = refuse_captured("cudaStreamGetDevice", stream);
        if (status == cudaSuccess)
            *device = is_default(stream) ? now().device : stream->device;
        return status;
    });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id)
{
    return call("cudaStreamGetId", [&] {
        if (!is_stream("cudaStreamGetId", stream))
            return cudaErrorInvalidResourceHandle;
        *id = is_default(stream) ? 1 + static_cast<unsigned long long>(now().device) : stream->id;
        return cudaSuccess;
    });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* moment, unsigned flags)
{
    return call("cudaEventCreateWithFlags", [&] {
        *moment = new CUevent_st{now().device, (flags & cudaEventDisableTiming) == 0};
        now().events.insert(*moment);
        return cudaSuccess;
    });
}

cudaError_t cudaEventDestroy(cudaEvent_t moment)
{
    return stubborn_call("cudaEventDestroy", [&] {
        if (now().events.erase(moment) == 0)
            return misused("cudaEventDestroy", "no such event is live");
        delete moment;
        return cudaSuccess;
    });
}

cudaError_t cudaEventRecord(cudaEvent_t moment, cudaStream_t stream)
{
    return call("cudaEventRecord", [&] {
        if (!is_stream("cudaEventRecord", stream) || check_event("cudaEventRecord", moment) != cudaSuccess)
            return cudaErrorInvalidResourceHandle;
        if (moment->device != (is_default(stream) ? now().device : stream->device))
            return misused("cudaEventRecord", "the event is another GPU's");
        const bool is_late = !is_default(stream) && stream->is_late;
        moment->behind = is_late ? stream : nullptr;
        moment->delay = is_late ? stream->delay : 0;
        return cudaSuccess;
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t moment)
{
    return call("cudaEventSynchronize", [&] { return check_event("cudaEventSynchronize", moment); });
}

cudaError_t cudaEventQuery(cudaEvent_t moment)
{
    return call("cudaEventQuery", [&] {
        if (check_event("cudaEventQuery", moment) != cudaSuccess)
            return cudaErrorInvalidResourceHandle;
        if (const cudaError_t refused = refuse_in_capture("cudaEventQuery"); refused != cudaSuccess)
            return refused;
        const bool waits = now().streams.count(moment->behind) != 0 && moment->behind->is_late &&
                           moment->behind->delay == moment->delay;
        return waits ? cudaErrorNotReady : cudaSuccess;
    });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    return call("cudaEventElapsedTime", [&] {
        if (check_event("cudaEventElapsedTime", start) != cudaSuccess ||
            check_event("cudaEventElapsedTime", end) != cudaSuccess)
            return cudaErrorInvalidResourceHandle;
        if (!start->has_timing || !end->has_timing)
            return misused("cudaEventElapsedTime", "an event without a time");
        *milliseconds = 1;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status)
{
    return call("cudaStreamIsCapturing", [&] {
        if (!is_stream("cudaStreamIsCapturing", stream))
            return cudaErrorInvalidResourceHandle;
        *status = is_capturing(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, const cudaGraphNode_t** nodes, const cudaGraphEdgeData** edges,
                                     std::size_t* count)
{
    return call("cudaStreamGetCaptureInfo", [&] {
        if (!is_stream("cudaStreamGetCaptureInfo", stream))
            return cudaErrorInvalidResourceHandle;
        if (id != nullptr || nodes != nullptr || edges != nullptr || count != nullptr)
            return misused("cudaStreamGetCaptureInfo", "a question that the stand-in does not know");
        *status = is_capturing(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
        if (graph != nullptr && is_capturing(stream))
            *graph = stream->capture;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode)
{
    return call("cudaStreamBeginCapture", [&] {
        stream->capture = new CUgraph_st;
        stream->mode = mode;
        stream->is_spoilt = false;
        now().graphs.insert(stream->capture);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph)
{
    return call("cudaStreamEndCapture", [&] {
        *graph = stream->capture;
        stream->capture = nullptr;
        if (!(*graph)->memory.empty())
            misused("cudaStreamEndCapture", "the graph allocates what it does not free");
        return stream->is_spoilt ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    return stubborn_call("cudaGraphDestroy", [&] {
        if (now().graphs.erase(graph) == 0)
            return misused("cudaGraphDestroy", "no such graph is live");
        for (CUuserObject_st* const object : graph->objects)
            cudaUserObjectRelease(object, 1);
        delete graph;
        return cudaSuccess;
    });
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* pointer, cudaHostFn_t destroy, unsigned, unsigned)
{
    return call("cudaUserObjectCreate", [&] {
        *object = new CUuserObject_st{pointer, destroy};
        now().objects.insert(*object);
        return cudaSuccess;
    });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned)
{
    return stubborn_call("cudaUserObjectRelease", [&] {
        if (now().objects.erase(object) == 0)
            return misused("cudaUserObjectRelease", "no such object is live");
        object->destroy(object->object);
        delete object;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned, unsigned flags)
{
    return call("cudaGraphRetainUserObject", [&] {
        if (now().graphs.count(graph) == 0 || now().objects.count(object) == 0 || flags != cudaGraphUserObjectMove)
            return misused("cudaGraphRetainUserObject", "a graph or object that is not live, or a reference kept");
        graph->objects.push_back(object);
        return cudaSuccess;
    });
}

}  // extern "C"
