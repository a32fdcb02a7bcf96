// Graphs, as far as streams need them: a capture collects nodes instead of running work.
#pragma once

#include <functional>
#include <vector>

#include "driver_types.h"

namespace simt {

struct GraphNode;
struct Capture;

// Nodes of work that is captured. They are owned by the graph that they are added to.
GraphNode *work_node(std::function<void()> work, const char *what);
GraphNode *host_node(std::function<void()> work, const char *what);

void add_captured(Capture &capture, GraphNode *node, const std::vector<GraphNode *> &after);
bool leads_to(GraphNode *node, const std::vector<GraphNode *> &last);
bool is_relaxed(const Capture &capture);

// In stream.cpp.
cudaError_t begin_capture(cudaStream_t stream, Capture *capture);
Capture *capture_of(cudaStream_t stream);
std::vector<GraphNode *> capture_dependencies(cudaStream_t stream);
void set_capture_dependencies(cudaStream_t stream, const std::vector<GraphNode *> &nodes, bool add);
bool end_capture(const Capture *capture, cudaStream_t origin);  // false: a stream was not joined
bool any_capture();

}  // namespace simt
