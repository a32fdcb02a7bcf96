#include <musa_runtime.h>
__global__ void k(float *x) { x[threadIdx.x] *= 2; }
int main() { float *x; musaMalloc(&x, 128); k<<<1, 32>>>(x); return musaDeviceSynchronize(); }
