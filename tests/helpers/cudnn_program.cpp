// A small program on cuDNN: a convolution, its bias, a rectifier, a maximum pool, a softmax.
#include <cudnn.h>

#include <cstdio>

#define CHECK(call)                                                                      \
  do {                                                                                   \
    cudnnStatus_t status = (call);                                                       \
    if (status != CUDNN_STATUS_SUCCESS) std::printf("%s\n", cudnnGetErrorString(status)); \
  } while (0)

int main() {
  cudnnHandle_t handle;
  CHECK(cudnnCreate(&handle));
  cudnnTensorDescriptor_t x, y, z, bias;
  CHECK(cudnnCreateTensorDescriptor(&x));
  CHECK(cudnnCreateTensorDescriptor(&y));
  CHECK(cudnnCreateTensorDescriptor(&z));
  CHECK(cudnnCreateTensorDescriptor(&bias));
  cudnnFilterDescriptor_t filter;
  CHECK(cudnnCreateFilterDescriptor(&filter));
  cudnnConvolutionDescriptor_t convolution;
  CHECK(cudnnCreateConvolutionDescriptor(&convolution));
  CHECK(cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 4, 4));
  CHECK(cudnnSetTensor4dDescriptor(bias, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 1, 1));
  CHECK(cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 1, 3, 3));
  CHECK(cudnnSetConvolution2dDescriptor(convolution, 1, 1, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                        CUDNN_DATA_FLOAT));
  int n, c, h, w;
  CHECK(cudnnGetConvolution2dForwardOutputDim(convolution, x, filter, &n, &c, &h, &w));
  CHECK(cudnnSetTensor4dDescriptor(y, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, n, c, h, w));
  CHECK(cudnnSetTensor4dDescriptor(z, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, n, c, h / 2, w / 2));
  float in[16], weights[9], out[16], small[4], last[4], offset = -40, one = 1, zero = 0;
  for (int i = 0; i < 16; ++i) in[i] = float(i);
  for (int i = 0; i < 9; ++i) weights[i] = 1;
  size_t size = 0;
  cudnnConvolutionFwdAlgo_t algorithm = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
  CHECK(cudnnGetConvolutionForwardWorkspaceSize(handle, x, filter, convolution, y, algorithm, &size));
  CHECK(cudnnConvolutionForward(handle, &one, x, in, filter, weights, convolution, algorithm, nullptr,
                                size, &zero, y, out));
  CHECK(cudnnAddTensor(handle, &one, bias, &offset, &one, y, out));
  cudnnActivationDescriptor_t relu;
  CHECK(cudnnCreateActivationDescriptor(&relu));
  CHECK(cudnnSetActivationDescriptor(relu, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0.0));
  CHECK(cudnnActivationForward(handle, relu, &one, y, out, &zero, y, out));
  cudnnPoolingDescriptor_t pool;
  CHECK(cudnnCreatePoolingDescriptor(&pool));
  CHECK(cudnnSetPooling2dDescriptor(pool, CUDNN_POOLING_MAX, CUDNN_NOT_PROPAGATE_NAN, 2, 2, 0, 0, 2, 2));
  CHECK(cudnnPoolingForward(handle, pool, &one, y, out, &zero, z, small));
  for (float each : small) std::printf("%.0f ", each);
  CHECK(cudnnSetTensor4dDescriptor(z, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 4, 1, 1));
  CHECK(cudnnSoftmaxForward(handle, CUDNN_SOFTMAX_LOG, CUDNN_SOFTMAX_MODE_INSTANCE, &one, z, small,
                            &zero, z, last));
  for (float each : last) std::printf("%.0f ", each);
  CHECK(cudnnDestroyPoolingDescriptor(pool));
  CHECK(cudnnDestroyActivationDescriptor(relu));
  CHECK(cudnnDestroyConvolutionDescriptor(convolution));
  CHECK(cudnnDestroyFilterDescriptor(filter));
  CHECK(cudnnDestroyTensorDescriptor(x));
  CHECK(cudnnDestroyTensorDescriptor(y));
  CHECK(cudnnDestroyTensorDescriptor(z));
  CHECK(cudnnDestroyTensorDescriptor(bias));
  CHECK(cudnnDestroy(handle));
  return 0;
}
