// The graph part of the runtime API; included by cuda_runtime_api.h.
#pragma once

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags) SIMT_AS("GraphCreate");
cudaError_t cudaGraphDestroy(cudaGraph_t graph) SIMT_AS("GraphDestroy");
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) SIMT_AS("GraphClone");
cudaError_t cudaGraphAddKernelNode(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
    const struct cudaKernelNodeParams *parameters
) SIMT_AS("GraphAddKernelNode");
cudaError_t cudaGraphAddMemcpyNode(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
    const struct cudaMemcpy3DParms *parameters
) SIMT_AS("GraphAddMemcpyNode");
cudaError_t cudaGraphAddMemcpyNode1D(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, void *to,
    const void *from, size_t size, enum cudaMemcpyKind kind
) SIMT_AS("GraphAddMemcpyNode1D");
cudaError_t cudaGraphAddMemsetNode(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
    const struct cudaMemsetParams *parameters
) SIMT_AS("GraphAddMemsetNode");
cudaError_t cudaGraphAddHostNode(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
    const struct cudaHostNodeParams *parameters
) SIMT_AS("GraphAddHostNode");
cudaError_t cudaGraphAddEmptyNode(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count
) SIMT_AS("GraphAddEmptyNode");
cudaError_t cudaGraphAddChildGraphNode(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
    cudaGraph_t child
) SIMT_AS("GraphAddChildGraphNode");
cudaError_t cudaGraphAddMemAllocNode(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
    struct cudaMemAllocNodeParams *parameters
) SIMT_AS("GraphAddMemAllocNode");
cudaError_t cudaGraphAddMemFreeNode(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, void *pointer
) SIMT_AS("GraphAddMemFreeNode");
cudaError_t cudaGraphAddDependencies(
    cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count
) SIMT_AS("GraphAddDependencies");
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
    SIMT_AS("GraphGetNodes");
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
    SIMT_AS("GraphGetRootNodes");
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
    SIMT_AS("GraphNodeGetType");
cudaError_t cudaGraphInstantiateWithFlags(
    cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags SIMT_OR(0)
) SIMT_AS("GraphInstantiateWithFlags");
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) SIMT_AS("GraphExecDestroy");
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) SIMT_AS("GraphLaunch");
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) SIMT_AS("GraphUpload");
cudaError_t cudaGraphExecUpdate(
    cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *result
) SIMT_AS("GraphExecUpdate");
cudaError_t cudaGraphExecKernelNodeSetParams(
    cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *parameters
) SIMT_AS("GraphExecKernelNodeSetParams");
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(
    cudaGraphExec_t exec, cudaGraphNode_t node, void *to, const void *from, size_t size,
    enum cudaMemcpyKind kind
) SIMT_AS("GraphExecMemcpyNodeSetParams1D");
cudaError_t cudaDeviceGraphMemTrim(int device) SIMT_AS("DeviceGraphMemTrim");

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
    SIMT_AS("StreamBeginCapture");
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) SIMT_AS("StreamEndCapture");
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
    SIMT_AS("StreamIsCapturing");

// CUDA 12's cudaGraphInstantiate takes flags; CUDA 11's took a node and a log.
#ifdef __cplusplus
}
static inline cudaError_t cudaGraphInstantiate(
    cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags = 0
) {
    return cudaGraphInstantiateWithFlags(exec, graph, flags);
}
static inline cudaError_t cudaGraphInstantiate(
    cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *, char *, size_t
) {
    return cudaGraphInstantiateWithFlags(exec, graph, 0);
}
extern "C" {
#else
static inline cudaError_t cudaGraphInstantiate(
    cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags
) {
    return cudaGraphInstantiateWithFlags(exec, graph, flags);
}
#endif
