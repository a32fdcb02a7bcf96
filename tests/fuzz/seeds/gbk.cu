// 内核函数： GBK 注释
#include <cuda_runtime.h>
#define 中 1

int main()
{
    /* 释放内存 \ */
    const char *s = "誠";
    cudaFree(0); cudaDeviceReset();
    return 0;
}
