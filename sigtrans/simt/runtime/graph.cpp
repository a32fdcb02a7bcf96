// Graphs: nodes of work with dependencies, made by hand or by capturing streams, run in any order
// that the dependencies allow.
#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "internal.h"

namespace simt {

struct Graph;

struct GraphNode {
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    std::function<void()> work;
    std::vector<GraphNode *> after;
    bool callback = false;
    Graph *child = nullptr;
    const GraphNode *origin = nullptr;  // of a copy: the node of the graph it was made from
};

struct Graph {
    std::vector<std::unique_ptr<GraphNode>> nodes;
    GraphNode *add(GraphNode *node) {
        nodes.emplace_back(node);
        return node;
    }
};

struct Capture {
    Graph *graph = nullptr;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    cudaStream_t origin = nullptr;
};

namespace {

struct Graphs {
    std::set<Graph *> known, executable;
};

Graphs &graphs() {
    static auto *it = new Graphs;
    return *it;
}

Graph *graph_of(cudaGraph_t handle) {
    auto *it = reinterpret_cast<Graph *>(handle);
    return graphs().known.count(it) ? it : nullptr;
}

Graph *exec_of(cudaGraphExec_t handle) {
    auto *it = reinterpret_cast<Graph *>(handle);
    return graphs().executable.count(it) ? it : nullptr;
}

GraphNode *make_node(cudaGraphNodeType type, std::function<void()> work) {
    auto *node = new GraphNode;
    node->type = type;
    node->work = std::move(work);
    return node;
}

Graph *clone(const Graph &graph) {
    auto *copy = new Graph;
    std::map<const GraphNode *, GraphNode *> made;
    for (const auto &it : graph.nodes) {
        auto *node = copy->add(new GraphNode(*it));
        node->origin = it->origin ? it->origin : it.get();
        if (it->child) node->child = clone(*it->child);
        made[it.get()] = node;
    }
    for (const auto &node : copy->nodes) {
        for (GraphNode *&it : node->after) it = made[it];
    }
    return copy;
}

void destroy(Graph *graph) {
    for (const auto &it : graph->nodes) {
        if (it->child) destroy(it->child);
    }
    delete graph;
}

// Runs every node after those it depends on; of several that may run, the last one first when work
// on streams is to be late, so that a missing dependency shows.
void run_graph(const Graph &graph) {
    std::set<const GraphNode *> done;
    while (done.size() < graph.nodes.size()) {
        std::vector<GraphNode *> ready;
        for (const auto &it : graph.nodes) {
            const auto is_done = [&](const GraphNode *other) { return done.count(other) != 0; };
            if (!done.count(it.get()) && std::all_of(it->after.begin(), it->after.end(), is_done)) {
                ready.push_back(it.get());
            }
        }
        if (ready.empty()) return;  // a circle: refused when it was instantiated
        GraphNode *node = config().streams == Order::up ? ready.front() : ready.back();
        if (node->child) run_graph(*node->child);
        else if (node->work) node->work();
        done.insert(node);
    }
}

bool has_circle(const Graph &graph) {
    std::set<const GraphNode *> done;
    for (bool any = true; any;) {
        any = false;
        for (const auto &it : graph.nodes) {
            if (done.count(it.get())) continue;
            if (std::all_of(it->after.begin(), it->after.end(), [&](GraphNode *o) { return done.count(o) != 0; })) {
                done.insert(it.get());
                any = true;
            }
        }
    }
    return done.size() < graph.nodes.size();
}

cudaError_t add(
    cudaGraphNode_t *out, cudaGraph_t handle, const cudaGraphNode_t *after, size_t count, GraphNode *node
) {
    std::unique_ptr<GraphNode> owned(node);
    Graph *graph = graph_of(handle);
    if (!out || !graph || (count && !after)) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) node->after.push_back(reinterpret_cast<GraphNode *>(after[i]));
    *out = reinterpret_cast<cudaGraphNode_t>(graph->add(owned.release()));
    return cudaSuccess;
}

cudaError_t kernel_body(const cudaKernelNodeParams &from, std::function<void()> &work) {
    LaunchConfig launch;
    launch.grid = from.gridDim;
    launch.block = from.blockDim;
    launch.shared = from.sharedMemBytes;
    const KernelInfo &known = kernel_info(from.func);
    if (!known.bind || !from.kernelParams) {
        report("kernel-unknown", "a graph's kernel is named by an address whose parameters are not known");
        return cudaErrorInvalidDeviceFunction;
    }
    const cudaError_t error = check_launch(launch, from.func, "kernel");
    if (error != cudaSuccess) return error;
    work = kernel_work(launch, from.func, "kernel", known.bind(from.func, from.kernelParams)).run;
    return cudaSuccess;
}

GraphNode *node_in(Graph &graph, cudaGraphNode_t origin) {
    for (const auto &it : graph.nodes) {
        if (it->origin == reinterpret_cast<GraphNode *>(origin)) return it.get();
    }
    return nullptr;
}

}  // namespace

GraphNode *kernel_node(const LaunchConfig &config, const void *kernel, const char *name, Body body) {
    return make_node(cudaGraphNodeTypeKernel, kernel_work(config, kernel, name, std::move(body)).run);
}

GraphNode *copy_node(const Copy &copy) {
    return make_node(cudaGraphNodeTypeMemcpy, [copy] { run_copy(copy); });
}

GraphNode *fill_node(const Fill &fill) {
    return make_node(cudaGraphNodeTypeMemset, [fill] { run_fill(fill); });
}

GraphNode *work_node(std::function<void()> work, const char *) {
    return make_node(cudaGraphNodeTypeKernel, std::move(work));
}

GraphNode *host_node(std::function<void()> work, const char *) {
    return make_node(cudaGraphNodeTypeHost, std::move(work));
}

void add_captured(Capture &capture, GraphNode *node, const std::vector<GraphNode *> &after) {
    node->after = after;
    capture.graph->add(node);
}

bool leads_to(GraphNode *node, const std::vector<GraphNode *> &last) {
    std::vector<GraphNode *> todo = last;
    std::set<GraphNode *> seen;
    while (!todo.empty()) {
        GraphNode *it = todo.back();
        todo.pop_back();
        if (it == node) return true;
        if (seen.insert(it).second) todo.insert(todo.end(), it->after.begin(), it->after.end());
    }
    return false;
}

bool is_relaxed(const Capture &capture) { return capture.mode == cudaStreamCaptureModeRelaxed; }

}  // namespace simt

using namespace simt;

// --- the API -------------------------------------------------------------------------------------

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
    return api(SIMT_CALLER, [&] {
        if (!graph || flags) return cudaErrorInvalidValue;
        auto *it = new Graph;
        graphs().known.insert(it);
        *graph = reinterpret_cast<cudaGraph_t>(it);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    return api(SIMT_CALLER, [&] {
        Graph *it = graph_of(graph);
        if (!it) return cudaErrorInvalidValue;
        graphs().known.erase(it);
        destroy(it);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphClone(cudaGraph_t *copy, cudaGraph_t graph) {
    return api(SIMT_CALLER, [&] {
        const Graph *it = graph_of(graph);
        if (!it || !copy) return cudaErrorInvalidValue;
        Graph *made = clone(*it);
        graphs().known.insert(made);
        *copy = reinterpret_cast<cudaGraph_t>(made);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphAddKernelNode(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
    const cudaKernelNodeParams *parameters
) {
    return api(SIMT_CALLER, [&] {
        if (!parameters) return cudaErrorInvalidValue;
        std::function<void()> work;
        const cudaError_t error = kernel_body(*parameters, work);
        if (error != cudaSuccess) return error;
        return add(node, graph, after, count, make_node(cudaGraphNodeTypeKernel, std::move(work)));
    });
}

cudaError_t cudaGraphAddMemcpyNode(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
    const cudaMemcpy3DParms *parameters
) {
    return api(SIMT_CALLER, [&] {
        Copy copy;
        cudaError_t error = parameters ? copy_of(*parameters, copy) : cudaErrorInvalidValue;
        if (error == cudaSuccess) error = check_copy(copy);
        return error == cudaSuccess ? add(node, graph, after, count, copy_node(copy)) : error;
    });
}

cudaError_t cudaGraphAddMemcpyNode1D(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, void *to,
    const void *from, size_t size, cudaMemcpyKind kind
) {
    return api(SIMT_CALLER, [&] {
        const Copy copy = linear_copy(to, from, size, kind);
        const cudaError_t error = check_copy(copy);
        return error == cudaSuccess ? add(node, graph, after, count, copy_node(copy)) : error;
    });
}

cudaError_t cudaGraphAddMemsetNode(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
    const cudaMemsetParams *parameters
) {
    return api(SIMT_CALLER, [&] {
        if (!parameters) return cudaErrorInvalidValue;
        Fill fill;
        fill.to = static_cast<char *>(parameters->dst);
        fill.value = parameters->value;
        fill.element = parameters->elementSize;
        fill.pitch = parameters->pitch;
        fill.width = parameters->width;
        fill.height = parameters->height;
        const cudaError_t error = check_fill(fill);
        return error == cudaSuccess ? add(node, graph, after, count, fill_node(fill)) : error;
    });
}

cudaError_t cudaGraphAddHostNode(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
    const cudaHostNodeParams *parameters
) {
    return api(SIMT_CALLER, [&] {
        if (!parameters || !parameters->fn) return cudaErrorInvalidValue;
        const cudaHostNodeParams it = *parameters;
        return add(node, graph, after, count, host_node([it] { it.fn(it.userData); }, "host"));
    });
}

cudaError_t cudaGraphAddEmptyNode(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count
) {
    return api(SIMT_CALLER, [&] { return add(node, graph, after, count, make_node(cudaGraphNodeTypeEmpty, nullptr)); });
}

cudaError_t cudaGraphAddChildGraphNode(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaGraph_t child
) {
    return api(SIMT_CALLER, [&] {
        const Graph *inner = graph_of(child);
        if (!inner) return cudaErrorInvalidValue;
        GraphNode *made = make_node(cudaGraphNodeTypeGraph, nullptr);
        made->child = clone(*inner);
        return add(node, graph, after, count, made);
    });
}

cudaError_t cudaGraphAddMemAllocNode(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
    cudaMemAllocNodeParams *parameters
) {
    return api(SIMT_CALLER, [&] {
        if (!parameters) return cudaErrorInvalidValue;
        // The address is fixed when the node is made; the memory is there from then on.
        const cudaError_t error = allocate(&parameters->dptr, parameters->bytesize, Kind::device);
        if (error != cudaSuccess) return error;
        return add(node, graph, after, count, make_node(cudaGraphNodeTypeMemAlloc, nullptr));
    });
}

cudaError_t cudaGraphAddMemFreeNode(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, void *pointer
) {
    return api(SIMT_CALLER, [&] {
        if (!find_block(pointer)) return cudaErrorInvalidValue;
        return add(node, graph, after, count, make_node(cudaGraphNodeTypeMemFree, nullptr));
    });
}

cudaError_t cudaGraphAddDependencies(
    cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count
) {
    return api(SIMT_CALLER, [&] {
        if (!graph_of(graph) || (count && (!from || !to))) return cudaErrorInvalidValue;
        for (size_t i = 0; i < count; i++) {
            reinterpret_cast<GraphNode *>(to[i])->after.push_back(reinterpret_cast<GraphNode *>(from[i]));
        }
        return cudaSuccess;
    });
}

namespace {

cudaError_t list(const Graph *graph, cudaGraphNode_t *nodes, size_t *count, bool roots) {
    if (!graph || !count) return cudaErrorInvalidValue;
    size_t found = 0;
    for (const auto &it : graph->nodes) {
        if (roots && !it->after.empty()) continue;
        if (nodes && found < *count) nodes[found] = reinterpret_cast<cudaGraphNode_t>(it.get());
        found++;
    }
    for (size_t i = found; nodes && i < *count; i++) nodes[i] = nullptr;
    *count = found;
    return cudaSuccess;
}

}  // namespace

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    return api(SIMT_CALLER, [&] { return list(graph_of(graph), nodes, count, false); });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    return api(SIMT_CALLER, [&] { return list(graph_of(graph), nodes, count, true); });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType *type) {
    return api(SIMT_CALLER, [&] {
        if (!node || !type) return cudaErrorInvalidValue;
        *type = reinterpret_cast<GraphNode *>(node)->type;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long) {
    return api(SIMT_CALLER, [&] {
        const Graph *it = graph_of(graph);
        if (!exec || !it || has_circle(*it)) return cudaErrorInvalidValue;
        Graph *made = clone(*it);
        graphs().executable.insert(made);
        *exec = reinterpret_cast<cudaGraphExec_t>(made);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    return api(SIMT_CALLER, [&] {
        Graph *it = exec_of(exec);
        if (!it) return cudaErrorInvalidValue;
        finish_device();
        graphs().executable.erase(it);
        destroy(it);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    return api(SIMT_CALLER, [&] {
        Graph *it = exec_of(exec);
        if (!it) return cudaErrorInvalidValue;
        Work work;
        work.what = "graph";
        work.run = [it] { run_graph(*it); };
        return queue(stream, std::move(work));
    });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
    return api(SIMT_CALLER, [&] {
        return exec_of(exec) && stream_of(stream) ? cudaSuccess : cudaErrorInvalidValue;
    });
}

cudaError_t cudaGraphExecUpdate(
    cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *result
) {
    return api(SIMT_CALLER, [&] {
        Graph *to = exec_of(exec);
        const Graph *from = graph_of(graph);
        if (!to || !from) return cudaErrorInvalidValue;
        finish_device();
        bool same = to->nodes.size() == from->nodes.size();
        for (size_t i = 0; same && i < to->nodes.size(); i++) {
            const GraphNode &a = *to->nodes[i], &b = *from->nodes[i];
            same = a.type == b.type && a.after.size() == b.after.size();
        }
        if (result) {
            *result = cudaGraphExecUpdateResultInfo();
            result->result = same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
        }
        if (!same) return cudaErrorGraphExecUpdateFailure;
        for (size_t i = 0; i < to->nodes.size(); i++) to->nodes[i]->work = from->nodes[i]->work;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphExecKernelNodeSetParams(
    cudaGraphExec_t exec, cudaGraphNode_t node, const cudaKernelNodeParams *parameters
) {
    return api(SIMT_CALLER, [&] {
        Graph *graph = exec_of(exec);
        GraphNode *it = graph ? node_in(*graph, node) : nullptr;
        if (!it || !parameters || it->type != cudaGraphNodeTypeKernel) return cudaErrorInvalidValue;
        return kernel_body(*parameters, it->work);
    });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(
    cudaGraphExec_t exec, cudaGraphNode_t node, void *to, const void *from, size_t size, cudaMemcpyKind kind
) {
    return api(SIMT_CALLER, [&] {
        Graph *graph = exec_of(exec);
        GraphNode *it = graph ? node_in(*graph, node) : nullptr;
        if (!it || it->type != cudaGraphNodeTypeMemcpy) return cudaErrorInvalidValue;
        const Copy copy = linear_copy(to, from, size, kind);
        const cudaError_t error = check_copy(copy);
        if (error == cudaSuccess) it->work = [copy] { run_copy(copy); };
        return error;
    });
}

cudaError_t cudaDeviceGraphMemTrim(int) {
    return api(SIMT_CALLER, [] { return cudaSuccess; });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    return api(SIMT_CALLER, [&] {
        auto *capture = new Capture;
        capture->mode = mode;
        capture->origin = stream;
        capture->graph = new Graph;
        const cudaError_t error = begin_capture(stream, capture);
        if (error != cudaSuccess) {
            delete capture->graph;
            delete capture;
        }
        return error;
    });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
    return api(SIMT_CALLER, [&] {
        Capture *capture = capture_of(stream);
        if (!capture || !graph) return cudaErrorIllegalState;
        if (capture->origin != stream) return cudaErrorStreamCaptureUnmatched;
        Graph *made = capture->graph;
        const bool joined = end_capture(capture, stream);
        delete capture;
        if (!joined) {
            destroy(made);
            *graph = nullptr;
            return cudaErrorStreamCaptureUnjoined;
        }
        graphs().known.insert(made);
        *graph = reinterpret_cast<cudaGraph_t>(made);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
    return api(SIMT_CALLER, [&] {
        if (!status || !stream_of(stream)) return cudaErrorInvalidValue;
        *status = capture_of(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
        return cudaSuccess;
    });
}
