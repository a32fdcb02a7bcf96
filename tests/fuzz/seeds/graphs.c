#include <cuda_runtime_api.h>
%:include <cuComplex.h>
%:define F(x) x%:%:_t

static cudaGraph_t g;
static cudaGraphExec_t e;
typedef struct { cudaTextureObject_t t; struct cudaDeviceProp p; enum cudaMemcpyKind k; } all;

int run(all *a, int n) {
    cuDoubleComplex z = make_cuDoubleComplex(1.0, 2.0);
    cudaStream_t s = 0; int v = 0
        ; if (cudaDeviceGetAttribute(&v, cudaDevAttrMultiProcessorCount, 0)) return 1;
    (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cuda\
Free(0);
    return cudaStreamEndCapture(s,&g)||cudaGraphInstantiate(&e,g,NULL,NULL,0)||cudaGraphLaunch(e,s)?a->p.major:n?a->k:(int)cuCreal(z);
}
