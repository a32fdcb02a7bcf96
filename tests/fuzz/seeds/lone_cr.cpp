#include <cuda_runtime.h>// lone CRint main() { cudaSetDevice(0);#define A \ cudaFreereturn 0; }
/* café */ int z = cudaSuccess;
/* never ends cudaMalloc