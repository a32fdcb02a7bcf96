// A model of the two forms of graph instantiation; the test defines FIVE, THREE or both.
#include <cstddef>
#include <cstdio>
enum musaError_t { musaSuccess = 0, musaErrorNotSupported = 801 };
enum MUresult { MUSA_SUCCESS = 0, MUSA_ERROR_NOT_SUPPORTED = 801 };
struct MUgraph_st; struct MUgraphExec_st; struct MUgraphNode_st;
typedef MUgraph_st *musaGraph_t; typedef MUgraphExec_st *musaGraphExec_t;
typedef MUgraphNode_st *musaGraphNode_t; typedef MUgraphNode_st *MUgraphNode;
#ifdef FIVE
musaError_t musaGraphInstantiate(musaGraphExec_t *, musaGraph_t, musaGraphNode_t *, char *, size_t n) {
  std::printf("five %d ", int(n)); return musaSuccess;
}
MUresult muGraphInstantiate(musaGraphExec_t *, musaGraph_t, MUgraphNode *, char *, size_t n) {
  std::printf("five %d ", int(n)); return MUSA_SUCCESS;
}
#endif
#ifdef THREE
musaError_t musaGraphInstantiate(musaGraphExec_t *, musaGraph_t, unsigned long long flags = 0) {
  std::printf("three %d ", int(flags)); return musaSuccess;
}
MUresult muGraphInstantiate(musaGraphExec_t *, musaGraph_t, unsigned long long flags = 0) {
  std::printf("three %d ", int(flags)); return MUSA_SUCCESS;
}
#endif
#include "sigtrans_graph.h"
int main() {
  musaGraphExec_t exec; musaGraph_t graph = nullptr; musaGraphNode_t node; char log[4] = "abc";
  std::printf("%d ", sigtrans::graphInstantiate(&exec, graph));
  std::printf("%d ", sigtrans::graphInstantiate(&exec, graph, 7));
  std::printf("%d ", sigtrans::graphInstantiate(&exec, graph, &node, log, sizeof(log)));
  std::printf("%d ", sigtrans::graphInstantiate(&exec, graph, NULL, NULL, 0));
  std::printf("%d ", sigtrans::graphInstantiateDriver(&exec, graph, 7));
  std::printf("%d", sigtrans::graphInstantiateDriver(&exec, graph, nullptr, nullptr, 0));
}
