// Graph instantiation in the form that the MUSA SDK at hand has.
//
// Five arguments (exec, graph, error node, log, size), CUDA 11's form, are what SDK 3.1 to 5.1 and
// torch_musa (torch_musa/csrc/aten/musa/MUSAGraph.cpp, Jan 2026) use; three (exec, graph, flags),
// CUDA 12's form, stand on the vendor's page for SDK 5.2 (programming_guide/features/musa_graphs).
// The driver call differs in the same way (wudi0717/xla: xla/stream_executor/musa). What compiles
// is chosen here. Flags other than 0 need the form with three arguments.
//
// Where the headers of MUSA are missing (a build for the host alone), there is nothing in here.
// sigtrans: skip-file
#pragma once

#if defined(SIGTRANS_HOST_TEST)
#define SIGTRANS_HAS_GRAPH
#elif defined(__has_include)
#if __has_include(<musa.h>) && __has_include(<musa_runtime.h>)
#include <musa.h>
#include <musa_runtime.h>
#define SIGTRANS_HAS_GRAPH
#endif
#endif

#ifdef SIGTRANS_HAS_GRAPH

namespace sigtrans {
namespace graph_detail {

// The last parameter ranks the candidates: an int is a better match for 0 than a long.
template <class Exec, class Graph>
auto instantiate(Exec *exec, Graph graph, unsigned long long flags, musaError_t, int)
    -> decltype(musaGraphInstantiate(exec, graph, flags)) {
  return musaGraphInstantiate(exec, graph, flags);
}
template <class Exec, class Graph>
auto instantiate(Exec *exec, Graph graph, unsigned long long flags, musaError_t otherwise, long)
    -> decltype(musaGraphInstantiate(exec, graph, nullptr, nullptr, 0)) {
  return flags == 0 ? musaGraphInstantiate(exec, graph, nullptr, nullptr, 0) : otherwise;
}
template <class Exec, class Graph, class Node>
auto instantiate(Exec *exec, Graph graph, Node *error, char *log, size_t size, int)
    -> decltype(musaGraphInstantiate(exec, graph, error, log, size)) {
  return musaGraphInstantiate(exec, graph, error, log, size);
}
template <class Exec, class Graph, class Node>
auto instantiate(Exec *exec, Graph graph, Node *error, char *log, size_t size, long)
    -> decltype(musaGraphInstantiate(exec, graph, 0ULL)) {
  if (error != nullptr) *error = Node();
  if (log != nullptr && size > 0) log[0] = '\0';
  return musaGraphInstantiate(exec, graph, 0ULL);
}

template <class Exec, class Graph>
auto instantiate_driver(Exec *exec, Graph graph, unsigned long long flags, MUresult, int)
    -> decltype(muGraphInstantiate(exec, graph, flags)) {
  return muGraphInstantiate(exec, graph, flags);
}
template <class Exec, class Graph>
auto instantiate_driver(Exec *exec, Graph graph, unsigned long long flags, MUresult otherwise, long)
    -> decltype(muGraphInstantiate(exec, graph, nullptr, nullptr, 0)) {
  return flags == 0 ? muGraphInstantiate(exec, graph, nullptr, nullptr, 0) : otherwise;
}
template <class Exec, class Graph, class Node>
auto instantiate_driver(Exec *exec, Graph graph, Node *error, char *log, size_t size, int)
    -> decltype(muGraphInstantiate(exec, graph, error, log, size)) {
  return muGraphInstantiate(exec, graph, error, log, size);
}
template <class Exec, class Graph, class Node>
auto instantiate_driver(Exec *exec, Graph graph, Node *error, char *log, size_t size, long)
    -> decltype(muGraphInstantiate(exec, graph, 0ULL)) {
  if (error != nullptr) *error = Node();
  if (log != nullptr && size > 0) log[0] = '\0';
  return muGraphInstantiate(exec, graph, 0ULL);
}

}  // namespace graph_detail

// cudaGraphInstantiate, in the forms of CUDA 12 and of CUDA 11.
template <class Exec, class Graph>
musaError_t graphInstantiate(Exec *exec, Graph graph, unsigned long long flags = 0) {
  return graph_detail::instantiate(exec, graph, flags, musaErrorNotSupported, 0);
}
template <class Exec, class Graph>
musaError_t graphInstantiate(Exec *exec, Graph graph, musaGraphNode_t *error, char *log,
                             size_t size) {
  return graph_detail::instantiate(exec, graph, error, log, size, 0);
}

// cuGraphInstantiate, likewise.
template <class Exec, class Graph>
MUresult graphInstantiateDriver(Exec *exec, Graph graph, unsigned long long flags = 0) {
  return graph_detail::instantiate_driver(exec, graph, flags, MUSA_ERROR_NOT_SUPPORTED, 0);
}
template <class Exec, class Graph>
MUresult graphInstantiateDriver(Exec *exec, Graph graph, MUgraphNode *error, char *log,
                                size_t size) {
  return graph_detail::instantiate_driver(exec, graph, error, log, size, 0);
}

}  // namespace sigtrans
#endif  // SIGTRANS_HAS_GRAPH
