// Streams and events: work in the order of its stream, at once, as late as the rules allow, or
// interleaved at random (config().streams), so that a missing wait shows.
#include <algorithm>
#include <chrono>
#include <set>

#include "internal.h"
#include "simt/graph.h"

namespace simt {

struct StreamState {
    unsigned flags = 0;
    int priority = 0;
    int device = 0;
    unsigned long long id = 0;
    bool legacy = false;
    OpRef tail;             // the last operation that was queued
    Capture *capture = nullptr;
    std::vector<GraphNode *> joined;  // of the capture: what the next node depends on
    bool blocking() const { return !(flags & cudaStreamNonBlocking); }
};

namespace {

struct EventState {
    unsigned flags = 0;
    OpRef op;  // null: never recorded
    double milliseconds = 0;
    Capture *capture = nullptr;  // recorded while a stream was captured
    std::vector<GraphNode *> joined;
};

struct Streams {
    std::set<StreamState *> known;
    std::set<EventState *> events;
    StreamState legacy;
    std::vector<OpRef> pending;  // in the order of queueing
    uint64_t number = 0;
    uint64_t seed = config().stream_seed;
    unsigned long long id = 2;
    bool per_thread = false;
    Streams() {
        legacy.legacy = true;
        legacy.id = 1;
    }
};

Streams &streams() {
    static auto *it = new Streams;
    return *it;
}

thread_local bool calling_back = false;
thread_local StreamState *own_stream = nullptr;  // the default stream of this host thread

uint64_t random_number() {
    uint64_t &seed = streams().seed;
    seed += 0x9E3779B97F4A7C15u;
    uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    return z ^ (z >> 27);
}

double now() {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::milli>(since).count();
}

bool is_done(const OpRef &op) { return !op || op->state == Op::done; }

bool may_start(const Op &op) {
    return op.state == Op::waiting && std::all_of(op.after.begin(), op.after.end(), is_done);
}

void run_op(const OpRef &op) {
    op->state = Op::running;
    if (op->callback) {
        calling_back = true;
        state_lock().unlock();  // the user's function may wait for another thread
        op->work();
        state_lock().lock();
        calling_back = false;
    } else {
        const ActingDevice acting;
        op->work();
    }
    op->state = Op::done;
    op->work = nullptr;
    op->after.clear();
    auto &pending = streams().pending;
    pending.erase(std::remove(pending.begin(), pending.end(), op), pending.end());
}

std::vector<OpRef> ready_ops() {
    std::vector<OpRef> ready;
    for (const OpRef &op : streams().pending) {
        if (may_start(*op)) ready.push_back(op);
    }
    return ready;
}

void run_any() {
    const std::vector<OpRef> ready = ready_ops();
    if (ready.empty()) return;
    run_op(ready[config().streams == Order::shuffled ? random_number() % ready.size() : 0]);
}

StreamState *thread_stream() {
    if (!own_stream) {
        own_stream = new StreamState;
        own_stream->id = 2;
        streams().known.insert(own_stream);
    }
    return own_stream;
}

EventState *event_of(cudaEvent_t event) {
    auto *it = reinterpret_cast<EventState *>(event);
    return streams().events.count(it) ? it : nullptr;
}

}  // namespace

bool in_callback() { return calling_back; }

StreamState *stream_of(cudaStream_t stream) {
    if (stream == nullptr) return streams().per_thread ? thread_stream() : &streams().legacy;
    if (stream == cudaStreamLegacy) return &streams().legacy;
    if (stream == cudaStreamPerThread) return thread_stream();
    auto *it = reinterpret_cast<StreamState *>(stream);
    return streams().known.count(it) ? it : nullptr;
}

bool capturing(StreamState *stream) { return stream->capture != nullptr; }

cudaStream_t default_stream() { return nullptr; }

cudaError_t queue(cudaStream_t handle, Work work, OpRef *made) {
    StreamState *stream = stream_of(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (stream->capture) {
        if (!work.node) return cudaErrorStreamCaptureUnsupported;
        GraphNode *node = work.node();
        add_captured(*stream->capture, node, stream->joined);
        stream->joined.assign(1, node);
        return cudaSuccess;
    }
    if (stream->legacy && any_capture()) return cudaErrorStreamCaptureImplicit;
    Streams &all = streams();
    auto op = std::make_shared<Op>();
    op->work = std::move(work.run);
    op->what = work.what;
    op->callback = work.callback;
    op->number = ++all.number;
    op->device = current_device();
    if (!is_done(stream->tail)) op->after.push_back(stream->tail);
    if (!is_done(work.after)) op->after.push_back(work.after);
    // The legacy stream and the blocking ones wait for each other.
    if (stream->legacy) {
        for (StreamState *other : all.known) {
            if (other->blocking() && !is_done(other->tail)) op->after.push_back(other->tail);
        }
    } else if (stream->blocking() && !is_done(all.legacy.tail)) {
        op->after.push_back(all.legacy.tail);
    }
    stream->tail = op;
    all.pending.push_back(op);
    if (made) *made = op;
    if (config().streams == Order::up) finish(op);
    else if (config().streams == Order::shuffled && random_number() % 3 == 0) run_any();
    return cudaSuccess;
}

void finish(const OpRef &wanted) {
    while (!is_done(wanted)) {
        if (config().streams == Order::shuffled) {
            run_any();
            continue;
        }
        // Depth first: only what it needs.
        OpRef op = wanted;
        while (!may_start(*op)) {
            const auto next =
                std::find_if(op->after.begin(), op->after.end(), [](const OpRef &it) { return !is_done(it); });
            if (next == op->after.end()) return;  // it runs: called from within
            op = *next;
        }
        run_op(op);
    }
}

void finish_stream(StreamState *stream) {
    const OpRef tail = stream->tail;
    finish(tail);
    if (stream->legacy) {
        std::vector<OpRef> tails;
        for (StreamState *other : streams().known) {
            if (other->blocking()) tails.push_back(other->tail);
        }
        for (const OpRef &it : tails) finish(it);
    }
}

void finish_device() {
    while (!streams().pending.empty()) {
        const size_t before = streams().pending.size();
        run_any();
        if (streams().pending.size() == before) return;  // called from within one
    }
}

void forget_streams() {
    streams().pending.clear();
    streams().legacy.tail = nullptr;
    for (StreamState *it : streams().known) it->tail = nullptr;
}

void enqueue(Stream stream, const char *what, std::function<void()> work) {
    const std::lock_guard<std::recursive_mutex> held(state_lock());
    Work item;
    item.what = what;
    item.node = [work, what] { return work_node(work, what); };
    item.run = std::move(work);
    set_error(queue(static_cast<cudaStream_t>(stream), std::move(item)));
}

void drain(Stream stream) {
    const std::lock_guard<std::recursive_mutex> held(state_lock());
    if (StreamState *it = stream_of(static_cast<cudaStream_t>(stream))) finish_stream(it);
}

void drain_all() {
    const std::lock_guard<std::recursive_mutex> held(state_lock());
    finish_device();
}

// --- capture -------------------------------------------------------------------------------------

cudaError_t begin_capture(cudaStream_t handle, Capture *capture) {
    StreamState *stream = stream_of(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (stream->legacy) return cudaErrorStreamCaptureUnsupported;
    if (stream->capture) return cudaErrorIllegalState;
    stream->capture = capture;
    stream->joined.clear();
    return cudaSuccess;
}

Capture *capture_of(cudaStream_t handle) {
    StreamState *stream = stream_of(handle);
    return stream ? stream->capture : nullptr;
}

std::vector<GraphNode *> capture_dependencies(cudaStream_t handle) {
    StreamState *stream = stream_of(handle);
    return stream ? stream->joined : std::vector<GraphNode *>();
}

void set_capture_dependencies(cudaStream_t handle, const std::vector<GraphNode *> &nodes, bool add) {
    StreamState *stream = stream_of(handle);
    if (!add) stream->joined.clear();
    for (GraphNode *node : nodes) {
        if (std::find(stream->joined.begin(), stream->joined.end(), node) == stream->joined.end()) {
            stream->joined.push_back(node);
        }
    }
}

bool end_capture(const Capture *capture, cudaStream_t origin) {
    StreamState *first = stream_of(origin);
    bool joined = true;
    for (StreamState *it : streams().known) {
        if (it->capture != capture) continue;
        // What other streams did last must have flowed back into the first.
        if (it != first) {
            for (GraphNode *node : it->joined) joined = joined && leads_to(node, first->joined);
        }
        it->capture = nullptr;
        if (it != first) it->joined.clear();
    }
    first->joined.clear();
    for (EventState *it : streams().events) {
        if (it->capture == capture) it->capture = nullptr;
    }
    return joined;
}

bool any_capture() {
    for (const StreamState *it : streams().known) {
        if (it->capture && it->blocking() && !is_relaxed(*it->capture)) return true;
    }
    return false;
}

cudaError_t check_no_capture() {
    for (const StreamState *it : streams().known) {
        if (it->capture && !is_relaxed(*it->capture)) return cudaErrorStreamCaptureUnsupported;
    }
    return cudaSuccess;
}

}  // namespace simt

using namespace simt;

// --- the API: streams ----------------------------------------------------------------------------

namespace {

cudaError_t make_stream(cudaStream_t *stream, unsigned flags, int priority) {
    if (!stream || flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
    auto *it = new StreamState;
    it->flags = flags;
    it->priority = std::max(-5, std::min(priority, 0));
    it->device = current_device();
    it->id = ++streams().id;
    streams().known.insert(it);
    *stream = reinterpret_cast<cudaStream_t>(it);
    return cudaSuccess;
}

// Is the last operation done? Asking lets one operation go on, so that asking again and again ends.
cudaError_t query(const OpRef &op) {
    if (is_done(op)) return device_fault();
    if (config().streams == Order::shuffled) {
        run_any();
    } else {
        const std::vector<OpRef> ready = ready_ops();
        if (!ready.empty()) run_op(ready[0]);
    }
    return cudaErrorNotReady;
}

}  // namespace

void simt_default_stream_per_thread() { streams().per_thread = true; }

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    return api(SIMT_CALLER, [&] { return make_stream(stream, 0, 0); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    return api(SIMT_CALLER, [&] { return make_stream(stream, flags, 0); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    return api(SIMT_CALLER, [&] { return make_stream(stream, flags, priority); });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return api(SIMT_CALLER, [&] {
        StreamState *it = stream_of(stream);
        if (!it || it->legacy || it == own_stream) return cudaErrorInvalidResourceHandle;
        streams().known.erase(it);  // its work goes on
        delete it;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return api(SIMT_CALLER, [&] {
        StreamState *it = stream_of(stream);
        if (!it) return cudaErrorInvalidResourceHandle;
        if (it->capture) return cudaErrorStreamCaptureUnsupported;
        finish_stream(it);
        return device_fault();
    });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    return api(SIMT_CALLER, [&] {
        StreamState *it = stream_of(stream);
        if (!it) return cudaErrorInvalidResourceHandle;
        if (it->capture) return cudaErrorStreamCaptureUnsupported;
        return query(it->tail);
    });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    return api(SIMT_CALLER, [&]() -> cudaError_t {
        StreamState *it = stream_of(stream);
        EventState *waited = event_of(event);
        if (!it || !waited) return cudaErrorInvalidResourceHandle;
        if (waited->capture) {
            if (it->capture && it->capture != waited->capture) return cudaErrorStreamCaptureMerge;
            it->capture = waited->capture;
            set_capture_dependencies(stream, waited->joined, true);
            return cudaSuccess;
        }
        if (it->capture) return cudaErrorStreamCaptureIsolation;
        if (is_done(waited->op)) return cudaSuccess;
        Work work;
        work.what = "cudaStreamWaitEvent";
        work.run = [] {};
        work.after = waited->op;
        return queue(stream, std::move(work));
    });
}

namespace {

cudaError_t call_back(cudaStream_t stream, const char *what, std::function<void()> function) {
    Work work;
    work.what = what;
    work.callback = true;
    work.node = [function, what] { return host_node(function, what); };
    work.run = std::move(function);
    return queue(stream, std::move(work));
}

}  // namespace

cudaError_t cudaStreamAddCallback(
    cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned flags
) {
    return api(SIMT_CALLER, [&] {
        if (!callback || flags) return cudaErrorInvalidValue;
        return call_back(stream, "cudaStreamAddCallback", [=] { callback(stream, device_fault(), data); });
    });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
    return api(SIMT_CALLER, [&] {
        if (!function) return cudaErrorInvalidValue;
        return call_back(stream, "cudaLaunchHostFunc", [=] { function(data); });
    });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
    return api(SIMT_CALLER, [&] {
        StreamState *it = stream_of(stream);
        if (!it) return cudaErrorInvalidResourceHandle;
        if (!flags) return cudaErrorInvalidValue;
        *flags = it->flags;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
    return api(SIMT_CALLER, [&] {
        StreamState *it = stream_of(stream);
        if (!it) return cudaErrorInvalidResourceHandle;
        if (!priority) return cudaErrorInvalidValue;
        *priority = it->priority;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
    return api(SIMT_CALLER, [&] {
        StreamState *it = stream_of(stream);
        if (!it) return cudaErrorInvalidResourceHandle;
        if (!id) return cudaErrorInvalidValue;
        *id = it->id;
        return cudaSuccess;
    });
}

// Attributes say how fast, never what.
cudaError_t cudaStreamSetAttribute(
    cudaStream_t stream, cudaStreamAttrID, const cudaStreamAttrValue *value
) {
    return api(SIMT_CALLER, [&] {
        if (!value) return cudaErrorInvalidValue;
        return stream_of(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID, cudaStreamAttrValue *value) {
    return api(SIMT_CALLER, [&] {
        if (!value) return cudaErrorInvalidValue;
        *value = cudaStreamAttrValue();
        return stream_of(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
    return api(SIMT_CALLER, [&] {
        return stream_of(to) && stream_of(from) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    });
}

// --- the API: events -----------------------------------------------------------------------------

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    return api(SIMT_CALLER, [&] {
        if (!event || flags & ~7u) return cudaErrorInvalidValue;
        auto *it = new EventState;
        it->flags = flags;
        streams().events.insert(it);
        *event = reinterpret_cast<cudaEvent_t>(it);
        return cudaSuccess;
    });
}

cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return api(SIMT_CALLER, [&] {
        EventState *it = event_of(event);
        if (!it) return cudaErrorInvalidResourceHandle;
        streams().events.erase(it);
        if (is_done(it->op)) delete it;  // else the queued record still writes to it
        return cudaSuccess;
    });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
    return api(SIMT_CALLER, [&] {
        EventState *it = event_of(event);
        StreamState *on = stream_of(stream);
        if (!it || !on) return cudaErrorInvalidResourceHandle;
        if (on->capture) {
            it->capture = on->capture;
            it->joined = on->joined;
            return cudaSuccess;
        }
        it->capture = nullptr;
        Work work;
        work.what = "cudaEventRecord";
        work.run = [it] { it->milliseconds = now(); };
        return queue(stream, std::move(work), &it->op);
    });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return cudaEventRecordWithFlags(event, stream, 0);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    return api(SIMT_CALLER, [&] {
        EventState *it = event_of(event);
        if (!it) return cudaErrorInvalidResourceHandle;
        if (it->capture) return cudaErrorCapturedEvent;
        return query(it->op);
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return api(SIMT_CALLER, [&] {
        EventState *it = event_of(event);
        if (!it) return cudaErrorInvalidResourceHandle;
        if (it->capture) return cudaErrorCapturedEvent;
        finish(it->op);
        return device_fault();
    });
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return api(SIMT_CALLER, [&] {
        EventState *first = event_of(start), *last = event_of(end);
        if (!first || !last) return cudaErrorInvalidResourceHandle;
        if (!milliseconds) return cudaErrorInvalidValue;
        if (!first->op || !last->op || (first->flags | last->flags) & cudaEventDisableTiming) {
            return cudaErrorInvalidResourceHandle;
        }
        if (!is_done(first->op) || !is_done(last->op)) return cudaErrorNotReady;
        *milliseconds = static_cast<float>(last->milliseconds - first->milliseconds);
        return cudaSuccess;
    });
}
