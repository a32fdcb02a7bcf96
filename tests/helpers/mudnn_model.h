// A model of the muDNN calls that the helper header makes: it computes on the host, in float. Of the
// convolution it has what a program needs to compile, and 3 x 3 sums.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
enum mudnnStatus_t { MUDNN_STATUS_SUCCESS, MUDNN_STATUS_NOT_SUPPORTED };
enum mudnnDataType_t { MUDNN_DATA_FLOAT, MUDNN_DATA_DOUBLE, MUDNN_DATA_HALF, MUDNN_DATA_BFLOAT16,
                       MUDNN_DATA_INT64 };
enum mudnnTensorFormat_t { MUDNN_TENSOR_NCHW, MUDNN_TENSOR_NHWC, MUDNN_TENSOR_HWCN };
enum mudnnActivationMode_t { MUDNN_ACTIVATION_SIGMOID, MUDNN_ACTIVATION_RELU, MUDNN_ACTIVATION_TANH,
  MUDNN_ACTIVATION_IDENTITY, MUDNN_ACTIVATION_CLIPPED_RELU, MUDNN_ACTIVATION_ELU };
enum mudnnUnaryMode_t { MUDNN_UNARY_RELU, MUDNN_UNARY_SIGMOID, MUDNN_UNARY_TANH,
  MUDNN_UNARY_IDENTITY, MUDNN_UNARY_CLIP };
enum mudnnBinaryMode_t { MUDNN_BINARY_ADD };
enum mudnnParamDataType_t { MUDNN_PARAM_DATA_NONE, MUDNN_PARAM_DATA_DOUBLE };
enum mudnnPoolingMode_t { MUDNN_POOLING_MAX, MUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING };
enum mudnnSoftmaxMode_t { MUDNN_SOFTMAX_MODE_SOFTMAX, MUDNN_SOFTMAX_MODE_LOG_SOFTMAX };
enum mudnnSoftmaxAlgorithm_t { MUDNN_SOFTMAX_ACCURATE };
enum mudnnBatchNormMode_t { MUDNN_BATCHNORM_PER_ACTIVATION, MUDNN_BATCHNORM_SPATIAL };
enum musaError_t { musaSuccess };
#define MUDNN_DIM_MAX 8
struct mudnnTensorStruct { mudnnDataType_t type; int n; int64_t d[8], s[8]; };
struct mudnnFilterStruct { int n; int d[8]; };
struct mudnnConvolutionStruct { int n, pad[2], stride[2], dilation[2]; };
struct mudnnActivationStruct { int mode; };
struct mudnnPoolingStruct { mudnnPoolingMode_t mode; int n, k[2], p[2], s[2]; };
struct mudnnUnaryStruct { mudnnUnaryMode_t mode; double a, b; };
struct mudnnBinaryStruct { mudnnBinaryMode_t mode; };
struct mudnnSoftmaxStruct { int dim; mudnnSoftmaxMode_t mode; };
struct mudnnBatchNormStruct { double eps; bool training; };
typedef mudnnTensorStruct *mudnnTensorDescriptor_t; typedef mudnnFilterStruct *mudnnFilterDescriptor_t;
static int live = 0;
#define MAKE(NAME) \
  mudnnStatus_t mudnnCreate##NAME##Descriptor(mudnn##NAME##Struct **d) { \
    *d = new mudnn##NAME##Struct(); ++live; return MUDNN_STATUS_SUCCESS; } \
  mudnnStatus_t mudnnDestroy##NAME##Descriptor(mudnn##NAME##Struct *d) { \
    delete d; --live; return MUDNN_STATUS_SUCCESS; }
MAKE(Tensor) MAKE(Filter) MAKE(Convolution) MAKE(Activation) MAKE(Pooling) MAKE(Unary) MAKE(Softmax)
MAKE(BatchNorm) MAKE(Binary)
musaError_t musaMalloc(void **p, size_t n) { *p = std::malloc(n); ++live; return musaSuccess; }
musaError_t musaFree(void *p) { std::free(p); --live; return musaSuccess; }
musaError_t musaDeviceSynchronize() { return musaSuccess; }
typedef const char *handle;
mudnnStatus_t mudnnSetTensorNdDescriptor(mudnnTensorDescriptor_t t, mudnnDataType_t type, int n,
                                         const int *d, const int *s) {
  t->type = type; t->n = n;
  for (int i = 0; i < n; ++i) { t->d[i] = d[i]; t->s[i] = s[i]; }
  return MUDNN_STATUS_SUCCESS;
}
mudnnStatus_t mudnnSetTensorNdDescriptorWithScale(mudnnTensorDescriptor_t t, mudnnTensorFormat_t,
    mudnnDataType_t type, int n, const int64_t *d, const int64_t *s, float) {
  t->type = type; t->n = n;
  for (int i = 0; i < n; ++i) { t->d[i] = d[i]; t->s[i] = s[i]; }
  return MUDNN_STATUS_SUCCESS;
}
mudnnStatus_t mudnnGetTensorNdDescriptor(mudnnTensorDescriptor_t t, int, mudnnDataType_t *type,
                                         int *n, int *d, int *s) {
  *type = t->type; *n = t->n;
  for (int i = 0; i < t->n; ++i) { d[i] = int(t->d[i]); s[i] = int(t->s[i]); }
  return MUDNN_STATUS_SUCCESS;
}
mudnnStatus_t mudnnSetFilterNdDescriptorWithScale(mudnnFilterDescriptor_t f, mudnnDataType_t,
    mudnnTensorFormat_t, int n, int *d, float) {
  f->n = n;
  for (int i = 0; i < n; ++i) f->d[i] = d[i];
  return MUDNN_STATUS_SUCCESS;
}
mudnnStatus_t mudnnSetConvolutionNdDescriptor(mudnnConvolutionStruct *c, int n, int *p, int *s, int *d,
                                              int, mudnnDataType_t) {
  c->n = n;
  for (int i = 0; i < 2; ++i) { c->pad[i] = p[i]; c->stride[i] = s[i]; c->dilation[i] = d[i]; }
  return MUDNN_STATUS_SUCCESS;
}
mudnnStatus_t mudnnSetActivationDescriptor(mudnnActivationStruct *a, mudnnActivationMode_t m, int,
                                           double) { a->mode = m; return MUDNN_STATUS_SUCCESS; }
mudnnStatus_t mudnnSetUnaryDescriptor(mudnnUnaryStruct *u, mudnnUnaryMode_t m, mudnnParamDataType_t,
                                      void *a, mudnnParamDataType_t, void *b) {
  u->mode = m;
  if (a) u->a = *static_cast<double *>(a);
  if (b) u->b = *static_cast<double *>(b);
  return MUDNN_STATUS_SUCCESS;
}
static int64_t count(mudnnTensorDescriptor_t t) {
  int64_t n = 1; for (int i = 0; i < t->n; ++i) n *= t->d[i]; return n;
}
mudnnStatus_t mudnnUnary(handle, mudnnUnaryStruct *u, mudnnTensorDescriptor_t, void *y,
                         mudnnTensorDescriptor_t xt, void *x) {
  for (int64_t i = 0; i < count(xt); ++i) {
    float v = static_cast<float *>(x)[i], r = v;
    if (u->mode == MUDNN_UNARY_RELU) r = v > 0 ? v : 0;
    if (u->mode == MUDNN_UNARY_SIGMOID) r = 1 / (1 + std::exp(-v));
    if (u->mode == MUDNN_UNARY_TANH) r = std::tanh(v);
    if (u->mode == MUDNN_UNARY_CLIP) r = float(v < u->a ? u->a : v > u->b ? u->b : v);
    static_cast<float *>(y)[i] = r;
  }
  return MUDNN_STATUS_SUCCESS;
}
mudnnStatus_t mudnnSetBinaryDescriptor(mudnnBinaryStruct *b, mudnnBinaryMode_t m, mudnnParamDataType_t,
                                       void *, mudnnParamDataType_t, void *) {
  b->mode = m; return MUDNN_STATUS_SUCCESS;
}
mudnnStatus_t mudnnBinary(handle, mudnnBinaryStruct *, mudnnTensorDescriptor_t ot, void *out,
    mudnnTensorDescriptor_t, void *left, mudnnTensorDescriptor_t rt, void *right) {
  for (int64_t i = 0; i < count(ot); ++i) {
    int64_t rest = i, from = 0;
    for (int k = ot->n - 1, step = 1; k >= 0; --k) {
      int64_t at = rest % ot->d[k];
      rest /= ot->d[k];
      if (rt->d[k] != 1) from += at * step;
      step *= int(rt->d[k]);
    }
    static_cast<float *>(out)[i] = static_cast<float *>(left)[i] + static_cast<float *>(right)[from];
  }
  return MUDNN_STATUS_SUCCESS;
}
mudnnStatus_t mudnnSetSoftmaxDescriptor(mudnnSoftmaxStruct *s, int dim, mudnnSoftmaxAlgorithm_t,
                                        mudnnSoftmaxMode_t m) {
  s->dim = dim; s->mode = m; return MUDNN_STATUS_SUCCESS;
}
mudnnStatus_t mudnnGetSoftmaxForwardWorkspaceSize(handle, mudnnSoftmaxStruct *, mudnnTensorDescriptor_t,
    mudnnTensorDescriptor_t, size_t *n) { *n = 16; return MUDNN_STATUS_SUCCESS; }
mudnnStatus_t mudnnSoftmaxForwardEx(handle, mudnnSoftmaxStruct *s, mudnnTensorDescriptor_t xt, void *xv,
                                    void *work, size_t size, mudnnTensorDescriptor_t, void *yv) {
  if (work == nullptr || size != 16 || s->dim != 1) std::abort();
  float *x = static_cast<float *>(xv), *y = static_cast<float *>(yv);
  int64_t c = xt->d[1], inner = xt->d[2] * xt->d[3];
  for (int64_t n = 0; n < xt->d[0]; ++n)
    for (int64_t i = 0; i < inner; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < c; ++j) sum += std::exp(double(x[(n * c + j) * inner + i]));
      for (int64_t j = 0; j < c; ++j) {
        double v = x[(n * c + j) * inner + i];
        y[(n * c + j) * inner + i] =
            float(s->mode == MUDNN_SOFTMAX_MODE_LOG_SOFTMAX ? v - std::log(sum) : std::exp(v) / sum);
      }
    }
  return MUDNN_STATUS_SUCCESS;
}
mudnnStatus_t mudnnSetPoolingNdDescriptorEx(mudnnPoolingStruct *p, mudnnPoolingMode_t m, int divisor,
    int n, const int *k, const int *pad, const int *s, const int *d) {
  if (divisor != 0 || d[0] != 1 || d[1] != 1) std::abort();
  p->mode = m; p->n = n;
  for (int i = 0; i < 2; ++i) { p->k[i] = k[i]; p->p[i] = pad[i]; p->s[i] = s[i]; }
  return MUDNN_STATUS_SUCCESS;
}
mudnnStatus_t mudnnPoolingForwardEx(handle, mudnnPoolingStruct *p, mudnnTensorDescriptor_t yt, void *yv,
    mudnnTensorDescriptor_t xt, void *xv, mudnnTensorDescriptor_t it, void *places) {
  bool max = p->mode == MUDNN_POOLING_MAX;
  if (max != (places != nullptr) || (max && (it->type != MUDNN_DATA_INT64 || count(it) != count(yt))))
    std::abort();
  float *x = static_cast<float *>(xv), *y = static_cast<float *>(yv);
  int64_t H = xt->d[2], W = xt->d[3], OH = yt->d[2], OW = yt->d[3];
  for (int64_t c = 0; c < xt->d[0] * xt->d[1]; ++c)
    for (int64_t i = 0; i < OH; ++i)
      for (int64_t j = 0; j < OW; ++j) {
        double best = -1e30, sum = 0;
        for (int a = 0; a < p->k[0]; ++a)
          for (int b = 0; b < p->k[1]; ++b) {
            int64_t h = i * p->s[0] - p->p[0] + a, w = j * p->s[1] - p->p[1] + b;
            if (h < 0 || w < 0 || h >= H || w >= W) continue;
            double v = x[(c * H + h) * W + w];
            best = v > best ? v : best; sum += v;
          }
        y[(c * OH + i) * OW + j] = float(max ? best : sum / (p->k[0] * p->k[1]));
      }
  return MUDNN_STATUS_SUCCESS;
}
mudnnStatus_t mudnnSetBatchNormDescriptor(mudnnBatchNormStruct *b, mudnnBatchNormMode_t, double eps,
                                          bool training) {
  b->eps = eps; b->training = training; return MUDNN_STATUS_SUCCESS;
}
mudnnStatus_t mudnnBatchNormForwardInference(handle, mudnnBatchNormStruct *b, mudnnTensorDescriptor_t,
    void *yv, mudnnTensorDescriptor_t xt, void *xv, mudnnTensorDescriptor_t mt, void *m,
    mudnnTensorDescriptor_t, void *v, mudnnTensorDescriptor_t, void *w, mudnnTensorDescriptor_t,
    void *bias) {
  if (b->training || mt->n != 1 || mt->d[0] != xt->d[1]) std::abort();
  float *x = static_cast<float *>(xv), *y = static_cast<float *>(yv);
  int64_t inner = xt->d[2] * xt->d[3];
  for (int64_t i = 0; i < count(xt); ++i) {
    int64_t c = i / inner % xt->d[1];
    y[i] = float((x[i] - static_cast<float *>(m)[c]) /
                 std::sqrt(static_cast<float *>(v)[c] + b->eps) * static_cast<float *>(w)[c] +
                 static_cast<float *>(bias)[c]);
  }
  return MUDNN_STATUS_SUCCESS;
}
enum mudnnConvolutionMode_t { MUDNN_CROSS_CORRELATION };
enum mudnnNanPropagation_t { MUDNN_NOT_PROPAGATE_NAN };
enum mudnnConvolutionFwdAlgo_t { MUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM };
struct mudnnHandle; typedef const char *mudnnHandle_t;
inline mudnnStatus_t mudnnCreate(mudnnHandle_t *h) { *h = "h"; return MUDNN_STATUS_SUCCESS; }
inline mudnnStatus_t mudnnDestroy(mudnnHandle_t) { return MUDNN_STATUS_SUCCESS; }
inline const char *mudnnGetErrorString(mudnnStatus_t s) { return s == MUDNN_STATUS_SUCCESS ? "ok" : "no"; }
inline mudnnStatus_t mudnnGetConvolutionForwardWorkspaceSize(mudnnHandle_t, mudnnTensorDescriptor_t,
    mudnnFilterDescriptor_t, mudnnConvolutionStruct *, mudnnTensorDescriptor_t,
    mudnnConvolutionFwdAlgo_t, size_t *n) { *n = 0; return MUDNN_STATUS_SUCCESS; }
inline mudnnStatus_t mudnnConvolutionForward(mudnnHandle_t, const void *, mudnnTensorDescriptor_t xt,
    const void *xv, mudnnFilterDescriptor_t f, const void *wv, mudnnConvolutionStruct *c,
    mudnnConvolutionFwdAlgo_t, void *, size_t, const void *, mudnnTensorDescriptor_t yt, void *yv) {
  const float *x = static_cast<const float *>(xv), *w = static_cast<const float *>(wv);
  for (int64_t i = 0; i < yt->d[2]; ++i)
    for (int64_t j = 0; j < yt->d[3]; ++j) {
      float sum = 0;
      for (int a = 0; a < f->d[2]; ++a)
        for (int b = 0; b < f->d[3]; ++b) {
          int64_t h = i * c->stride[0] - c->pad[0] + a, v = j * c->stride[1] - c->pad[1] + b;
          if (h >= 0 && v >= 0 && h < xt->d[2] && v < xt->d[3])
            sum += x[h * xt->d[3] + v] * w[a * f->d[3] + b];
        }
      static_cast<float *>(yv)[i * yt->d[3] + j] = sum;
    }
  return MUDNN_STATUS_SUCCESS;
}
