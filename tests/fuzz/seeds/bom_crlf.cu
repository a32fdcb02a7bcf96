#include <cuda.h>
// 核函数
__global__ void k(cudaTextureObject_t t) {}
void f() { k<<<1, 1>>>(0); cudaDeviceSynchronize(); }