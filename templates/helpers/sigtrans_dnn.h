// cuDNN's descriptors and calls on top of muDNN's C interface, for host code in C++.
//
// Every muDNN call here, and its order of arguments, is one that torch_musa makes itself (files of
// torch_musa/csrc/aten/mudnn, 2026, behind TORCH_MUSA_USE_MUDNN_C_API: Tensor.cpp, Convolution.cpp,
// Pooling.cpp, Softmax.cpp, BatchNorm.cpp, Unary.cpp, Binary.cpp). muDNN has no alpha and beta in
// these calls, so only alpha 1 and beta 0 are served (beta 1 when adding); everything that is not
// served answers MUDNN_STATUS_NOT_SUPPORTED and computes nothing.
//
// Where the headers of MUSA are missing (a build for the host alone), there is nothing in here.
// sigtrans: skip-file
#pragma once

#if defined(SIGTRANS_HOST_TEST)
#define SIGTRANS_HAS_DNN
#elif defined(__has_include)
#if __has_include(<mudnn.h>) && __has_include(<musa_runtime.h>)
#include <mudnn.h>
#include <musa_runtime.h>
#define SIGTRANS_HAS_DNN
#endif
#endif

#ifdef SIGTRANS_HAS_DNN

#include <stddef.h>
#include <stdint.h>

#include <map>
#include <mutex>

namespace sigtrans {

typedef mudnnConvolutionStruct *dnnConvolutionDescriptor_t;
typedef mudnnPoolingStruct *dnnPoolingDescriptor_t;
typedef mudnnActivationStruct *dnnActivationDescriptor_t;

enum dnnSoftmaxAlgorithm_t { DNN_SOFTMAX_FAST, DNN_SOFTMAX_ACCURATE, DNN_SOFTMAX_LOG };
enum dnnSoftmaxMode_t { DNN_SOFTMAX_MODE_INSTANCE, DNN_SOFTMAX_MODE_CHANNEL };

namespace dnn_detail {

// A descriptor's shape, read back.
struct Shape {
  mudnnDataType_t type;
  int rank;
  int dims[MUDNN_DIM_MAX];
  int strides[MUDNN_DIM_MAX];
};

inline mudnnStatus_t read(mudnnTensorDescriptor_t tensor, Shape *shape) {
  return mudnnGetTensorNdDescriptor(tensor, MUDNN_DIM_MAX, &shape->type, &shape->rank, shape->dims,
                                    shape->strides);
}

// cuDNN takes double scalars for double tensors and float ones for all others.
inline bool is_plain(mudnnDataType_t type, const void *alpha, const void *beta) {
  if (type == MUDNN_DATA_DOUBLE) {
    return *static_cast<const double *>(alpha) == 1.0 && *static_cast<const double *>(beta) == 0.0;
  }
  return *static_cast<const float *>(alpha) == 1.0f && *static_cast<const float *>(beta) == 0.0f;
}

// What muDNN does not give back and a later call has to know.
struct Activation {
  mudnnActivationMode_t mode;
  double coefficient;
};
template <class Key, class Value> struct Notes {
  std::mutex lock;
  std::map<Key, Value> of;
  void put(Key key, Value value) {
    std::lock_guard<std::mutex> held(lock);
    of[key] = value;
  }
  void drop(Key key) {
    std::lock_guard<std::mutex> held(lock);
    of.erase(key);
  }
  bool get(Key key, Value *value) {
    std::lock_guard<std::mutex> held(lock);
    typename std::map<Key, Value>::iterator found = of.find(key);
    if (found == of.end()) return false;
    *value = found->second;
    return true;
  }
};
struct Convolution {
  int rank;
  int pad[MUDNN_DIM_MAX];
  int stride[MUDNN_DIM_MAX];
  int dilation[MUDNN_DIM_MAX];
};
struct Filter {
  mudnnTensorFormat_t format;
  int rank;
  int dims[MUDNN_DIM_MAX];
};
inline Notes<dnnConvolutionDescriptor_t, Convolution> &convolutions() {
  static Notes<dnnConvolutionDescriptor_t, Convolution> notes;
  return notes;
}
inline Notes<mudnnFilterDescriptor_t, Filter> &filters() {
  static Notes<mudnnFilterDescriptor_t, Filter> notes;
  return notes;
}
inline Notes<dnnActivationDescriptor_t, Activation> &activations() {
  static Notes<dnnActivationDescriptor_t, Activation> notes;
  return notes;
}
inline Notes<dnnPoolingDescriptor_t, mudnnPoolingMode_t> &poolings() {
  static Notes<dnnPoolingDescriptor_t, mudnnPoolingMode_t> notes;
  return notes;
}

// Memory for one call. It is freed when the device has done with it, which costs a wait.
struct Scratch {
  void *data;
  explicit Scratch(size_t size) : data(nullptr) {
    if (size > 0 && musaMalloc(&data, size) != musaSuccess) data = nullptr;
  }
  ~Scratch() {
    if (data == nullptr) return;
    musaDeviceSynchronize();
    musaFree(data);
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
};

}  // namespace dnn_detail

// --- tensors, filters, convolutions --------------------------------------------------------------

inline mudnnStatus_t dnnSetTensor4dDescriptorEx(mudnnTensorDescriptor_t tensor,
                                                mudnnDataType_t type, int n, int c, int h, int w,
                                                int n_stride, int c_stride, int h_stride,
                                                int w_stride) {
  int dims[4] = {n, c, h, w};
  int strides[4] = {n_stride, c_stride, h_stride, w_stride};
  return mudnnSetTensorNdDescriptor(tensor, type, 4, dims, strides);
}

inline mudnnStatus_t dnnSetTensor4dDescriptor(mudnnTensorDescriptor_t tensor,
                                              mudnnTensorFormat_t format, mudnnDataType_t type,
                                              int n, int c, int h, int w) {
  if (format == MUDNN_TENSOR_NCHW) {
    return dnnSetTensor4dDescriptorEx(tensor, type, n, c, h, w, c * h * w, h * w, w, 1);
  }
  if (format == MUDNN_TENSOR_NHWC) {
    return dnnSetTensor4dDescriptorEx(tensor, type, n, c, h, w, c * h * w, 1, w * c, c);
  }
  return MUDNN_STATUS_NOT_SUPPORTED;
}

inline mudnnStatus_t dnnSetFilterNdDescriptor(mudnnFilterDescriptor_t filter, mudnnDataType_t type,
                                              mudnnTensorFormat_t format, int rank,
                                              const int *dims) {
  if (rank > MUDNN_DIM_MAX) return MUDNN_STATUS_NOT_SUPPORTED;
  dnn_detail::Filter kept = {format, rank, {}};
  for (int i = 0; i < rank; ++i) kept.dims[i] = dims[i];
  dnn_detail::filters().put(filter, kept);
  return mudnnSetFilterNdDescriptorWithScale(filter, type, format, rank, kept.dims, 1.0f);
}

inline mudnnStatus_t dnnSetFilter4dDescriptor(mudnnFilterDescriptor_t filter, mudnnDataType_t type,
                                              mudnnTensorFormat_t format, int k, int c, int h,
                                              int w) {
  int dims[4] = {k, c, h, w};
  return dnnSetFilterNdDescriptor(filter, type, format, 4, dims);
}

inline mudnnStatus_t dnnDestroyFilterDescriptor(mudnnFilterDescriptor_t filter) {
  dnn_detail::filters().drop(filter);
  return mudnnDestroyFilterDescriptor(filter);
}

template <class Mode>
mudnnStatus_t dnnSetConvolutionNdDescriptor(dnnConvolutionDescriptor_t convolution, int rank,
                                            const int *pad, const int *stride,
                                            const int *dilation, Mode mode, mudnnDataType_t type) {
  if (rank > MUDNN_DIM_MAX) return MUDNN_STATUS_NOT_SUPPORTED;
  dnn_detail::Convolution kept = {rank, {}, {}, {}};
  for (int i = 0; i < rank; ++i) {
    kept.pad[i] = pad[i];
    kept.stride[i] = stride[i];
    kept.dilation[i] = dilation[i];
  }
  dnn_detail::convolutions().put(convolution, kept);
  return mudnnSetConvolutionNdDescriptor(convolution, rank, kept.pad, kept.stride, kept.dilation,
                                         mode, type);
}

template <class Mode>
mudnnStatus_t dnnSetConvolution2dDescriptor(dnnConvolutionDescriptor_t convolution, int pad_h,
                                            int pad_w, int stride_h, int stride_w, int dilation_h,
                                            int dilation_w, Mode mode, mudnnDataType_t type) {
  int pad[2] = {pad_h, pad_w};
  int stride[2] = {stride_h, stride_w};
  int dilation[2] = {dilation_h, dilation_w};
  return dnnSetConvolutionNdDescriptor(convolution, 2, pad, stride, dilation, mode, type);
}

inline mudnnStatus_t dnnDestroyConvolutionDescriptor(dnnConvolutionDescriptor_t convolution) {
  dnn_detail::convolutions().drop(convolution);
  return mudnnDestroyConvolutionDescriptor(convolution);
}

// By cuDNN's formula, from what the descriptors were set to. cuDNN gives a filter's sizes as
// K, C, H, W whatever its format is.
inline mudnnStatus_t dnnGetConvolution2dForwardOutputDim(dnnConvolutionDescriptor_t convolution,
                                                         mudnnTensorDescriptor_t x_tensor,
                                                         mudnnFilterDescriptor_t filter, int *n,
                                                         int *c, int *h, int *w) {
  dnn_detail::Convolution set;
  dnn_detail::Filter window;
  dnn_detail::Shape in;
  mudnnStatus_t status = dnn_detail::read(x_tensor, &in);
  if (status != MUDNN_STATUS_SUCCESS) return status;
  if (!dnn_detail::convolutions().get(convolution, &set) || set.rank != 2 ||
      !dnn_detail::filters().get(filter, &window) || window.rank != 4 || in.rank != 4) {
    return MUDNN_STATUS_NOT_SUPPORTED;
  }
  int out[2];
  for (int i = 0; i < 2; ++i) {
    int reach = (window.dims[i + 2] - 1) * set.dilation[i] + 1;
    out[i] = (in.dims[i + 2] + 2 * set.pad[i] - reach) / set.stride[i] + 1;
  }
  *n = in.dims[0];
  *c = window.dims[0];
  *h = out[0];
  *w = out[1];
  return MUDNN_STATUS_SUCCESS;
}

// C = A + C, with A of size 1 where it is spread over C (torch_musa hands such shapes to Binary).
template <class Handle>
mudnnStatus_t dnnAddTensor(Handle handle, const void *alpha, mudnnTensorDescriptor_t a_tensor,
                           const void *a, const void *beta, mudnnTensorDescriptor_t c_tensor,
                           void *c) {
  dnn_detail::Shape shape;
  mudnnStatus_t status = dnn_detail::read(c_tensor, &shape);
  if (status != MUDNN_STATUS_SUCCESS) return status;
  bool ones = shape.type == MUDNN_DATA_DOUBLE
                  ? *static_cast<const double *>(alpha) == 1.0 &&
                        *static_cast<const double *>(beta) == 1.0
                  : *static_cast<const float *>(alpha) == 1.0f &&
                        *static_cast<const float *>(beta) == 1.0f;
  if (!ones) return MUDNN_STATUS_NOT_SUPPORTED;
  mudnnBinaryStruct *binary = nullptr;
  status = mudnnCreateBinaryDescriptor(&binary);
  if (status != MUDNN_STATUS_SUCCESS) return status;
  status = mudnnSetBinaryDescriptor(binary, MUDNN_BINARY_ADD, MUDNN_PARAM_DATA_NONE, nullptr,
                                    MUDNN_PARAM_DATA_NONE, nullptr);
  if (status == MUDNN_STATUS_SUCCESS) {
    status = mudnnBinary(handle, binary, c_tensor, c, c_tensor, c, a_tensor, const_cast<void *>(a));
  }
  mudnnDestroyBinaryDescriptor(binary);
  return status;
}

// --- activation ----------------------------------------------------------------------------------

template <class Nan>
mudnnStatus_t dnnSetActivationDescriptor(dnnActivationDescriptor_t activation,
                                         mudnnActivationMode_t mode, Nan nan, double coefficient) {
  dnn_detail::Activation kept = {mode, coefficient};
  dnn_detail::activations().put(activation, kept);
  return mudnnSetActivationDescriptor(activation, mode, nan, coefficient);
}

inline mudnnStatus_t dnnDestroyActivationDescriptor(dnnActivationDescriptor_t activation) {
  dnn_detail::activations().drop(activation);
  return mudnnDestroyActivationDescriptor(activation);
}

// RELU, SIGMOID, TANH, IDENTITY and CLIPPED_RELU, by muDNN's unary operations. CLIP takes its lower
// and upper bound as alpha and beta (torch_musa/csrc/aten/ops/Clamp.cpp).
template <class Handle>
mudnnStatus_t dnnActivationForward(Handle handle, dnnActivationDescriptor_t activation,
                                   const void *alpha, mudnnTensorDescriptor_t x_tensor,
                                   const void *x, const void *beta,
                                   mudnnTensorDescriptor_t y_tensor, void *y) {
  dnn_detail::Activation set;
  dnn_detail::Shape shape;
  mudnnStatus_t status = dnn_detail::read(x_tensor, &shape);
  if (status != MUDNN_STATUS_SUCCESS) return status;
  if (!dnn_detail::activations().get(activation, &set)) return MUDNN_STATUS_NOT_SUPPORTED;
  if (!dnn_detail::is_plain(shape.type, alpha, beta)) return MUDNN_STATUS_NOT_SUPPORTED;
  mudnnUnaryMode_t mode;
  if (set.mode == MUDNN_ACTIVATION_RELU) {
    mode = MUDNN_UNARY_RELU;
  } else if (set.mode == MUDNN_ACTIVATION_SIGMOID) {
    mode = MUDNN_UNARY_SIGMOID;
  } else if (set.mode == MUDNN_ACTIVATION_TANH) {
    mode = MUDNN_UNARY_TANH;
  } else if (set.mode == MUDNN_ACTIVATION_IDENTITY) {
    mode = MUDNN_UNARY_IDENTITY;
  } else if (set.mode == MUDNN_ACTIVATION_CLIPPED_RELU) {
    mode = MUDNN_UNARY_CLIP;
  } else {
    return MUDNN_STATUS_NOT_SUPPORTED;
  }
  mudnnUnaryStruct *unary = nullptr;
  status = mudnnCreateUnaryDescriptor(&unary);
  if (status != MUDNN_STATUS_SUCCESS) return status;
  double lowest = 0.0;
  status = mode == MUDNN_UNARY_CLIP
               ? mudnnSetUnaryDescriptor(unary, mode, MUDNN_PARAM_DATA_DOUBLE, &lowest,
                                         MUDNN_PARAM_DATA_DOUBLE, &set.coefficient)
               : mudnnSetUnaryDescriptor(unary, mode, MUDNN_PARAM_DATA_NONE, nullptr,
                                         MUDNN_PARAM_DATA_NONE, nullptr);
  if (status == MUDNN_STATUS_SUCCESS) {
    status = mudnnUnary(handle, unary, y_tensor, y, x_tensor, const_cast<void *>(x));
  }
  mudnnDestroyUnaryDescriptor(unary);
  return status;
}

// --- softmax -------------------------------------------------------------------------------------

// Over the channels. The form over a whole instance is served where height and width are 1.
template <class Handle>
mudnnStatus_t dnnSoftmaxForward(Handle handle, dnnSoftmaxAlgorithm_t algorithm,
                                dnnSoftmaxMode_t mode, const void *alpha,
                                mudnnTensorDescriptor_t x_tensor, const void *x, const void *beta,
                                mudnnTensorDescriptor_t y_tensor, void *y) {
  dnn_detail::Shape shape;
  mudnnStatus_t status = dnn_detail::read(x_tensor, &shape);
  if (status != MUDNN_STATUS_SUCCESS) return status;
  if (!dnn_detail::is_plain(shape.type, alpha, beta)) return MUDNN_STATUS_NOT_SUPPORTED;
  for (int i = 2; mode == DNN_SOFTMAX_MODE_INSTANCE && i < shape.rank; ++i) {
    if (shape.dims[i] != 1) return MUDNN_STATUS_NOT_SUPPORTED;
  }
  mudnnSoftmaxStruct *softmax = nullptr;
  status = mudnnCreateSoftmaxDescriptor(&softmax);
  if (status != MUDNN_STATUS_SUCCESS) return status;
  // FAST differs from ACCURATE in leaving out the subtraction of the maximum.
  status = mudnnSetSoftmaxDescriptor(softmax, 1, MUDNN_SOFTMAX_ACCURATE,
                                     algorithm == DNN_SOFTMAX_LOG ? MUDNN_SOFTMAX_MODE_LOG_SOFTMAX
                                                                  : MUDNN_SOFTMAX_MODE_SOFTMAX);
  size_t size = 0;
  if (status == MUDNN_STATUS_SUCCESS) {
    status = mudnnGetSoftmaxForwardWorkspaceSize(handle, softmax, x_tensor, y_tensor, &size);
  }
  if (status == MUDNN_STATUS_SUCCESS) {
    dnn_detail::Scratch scratch(size);
    status = size > 0 && scratch.data == nullptr
                 ? MUDNN_STATUS_NOT_SUPPORTED
                 : mudnnSoftmaxForwardEx(handle, softmax, x_tensor, const_cast<void *>(x),
                                         scratch.data, size, y_tensor, y);
  }
  mudnnDestroySoftmaxDescriptor(softmax);
  return status;
}

// --- pooling -------------------------------------------------------------------------------------

template <class Nan>
mudnnStatus_t dnnSetPoolingNdDescriptor(dnnPoolingDescriptor_t pooling, mudnnPoolingMode_t mode,
                                        Nan, int rank, const int *window, const int *pad,
                                        const int *stride) {
  if (rank > MUDNN_DIM_MAX) return MUDNN_STATUS_NOT_SUPPORTED;
  int dilation[MUDNN_DIM_MAX];
  for (int i = 0; i < rank; ++i) dilation[i] = 1;
  dnn_detail::poolings().put(pooling, mode);
  return mudnnSetPoolingNdDescriptorEx(pooling, mode, 0, rank, window, pad, stride, dilation);
}

template <class Nan>
mudnnStatus_t dnnSetPooling2dDescriptor(dnnPoolingDescriptor_t pooling, mudnnPoolingMode_t mode,
                                        Nan nan, int window_h, int window_w, int pad_h, int pad_w,
                                        int stride_h, int stride_w) {
  int window[2] = {window_h, window_w};
  int pad[2] = {pad_h, pad_w};
  int stride[2] = {stride_h, stride_w};
  return dnnSetPoolingNdDescriptor(pooling, mode, nan, 2, window, pad, stride);
}

inline mudnnStatus_t dnnDestroyPoolingDescriptor(dnnPoolingDescriptor_t pooling) {
  dnn_detail::poolings().drop(pooling);
  return mudnnDestroyPoolingDescriptor(pooling);
}

// muDNN writes the places of the maxima as well; an average has an empty tensor in their place.
template <class Handle>
mudnnStatus_t dnnPoolingForward(Handle handle, dnnPoolingDescriptor_t pooling, const void *alpha,
                                mudnnTensorDescriptor_t x_tensor, const void *x, const void *beta,
                                mudnnTensorDescriptor_t y_tensor, void *y) {
  dnn_detail::Shape out;
  mudnnPoolingMode_t mode;
  mudnnStatus_t status = dnn_detail::read(y_tensor, &out);
  if (status != MUDNN_STATUS_SUCCESS) return status;
  if (!dnn_detail::poolings().get(pooling, &mode)) return MUDNN_STATUS_NOT_SUPPORTED;
  if (!dnn_detail::is_plain(out.type, alpha, beta)) return MUDNN_STATUS_NOT_SUPPORTED;
  mudnnTensorDescriptor_t places = nullptr;
  status = mudnnCreateTensorDescriptor(&places);
  if (status != MUDNN_STATUS_SUCCESS) return status;
  size_t size = 0;
  if (mode == MUDNN_POOLING_MAX) {
    size = sizeof(int64_t);
    for (int i = 0; i < out.rank; ++i) size *= static_cast<size_t>(out.dims[i]);
    status = mudnnSetTensorNdDescriptor(places, MUDNN_DATA_INT64, out.rank, out.dims, out.strides);
  } else {
    int64_t none[MUDNN_DIM_MAX] = {};
    status = mudnnSetTensorNdDescriptorWithScale(places, MUDNN_TENSOR_NCHW, MUDNN_DATA_FLOAT, 0,
                                                 none, none, 1.0f);
  }
  if (status == MUDNN_STATUS_SUCCESS) {
    dnn_detail::Scratch scratch(size);
    status = size > 0 && scratch.data == nullptr
                 ? MUDNN_STATUS_NOT_SUPPORTED
                 : mudnnPoolingForwardEx(handle, pooling, y_tensor, y, x_tensor,
                                         const_cast<void *>(x), places, scratch.data);
  }
  mudnnDestroyTensorDescriptor(places);
  return status;
}

// --- batch normalisation, inference --------------------------------------------------------------

// One value a channel (SPATIAL). cuDNN describes mean, variance, scale and bias as 1 x C x 1 x 1
// (DeriveBNTensorDescriptor), muDNN's callers as C values: the descriptor is made anew here.
template <class Handle>
mudnnStatus_t dnnBatchNormalizationForwardInference(
    Handle handle, mudnnBatchNormMode_t mode, const void *alpha, const void *beta,
    mudnnTensorDescriptor_t x_tensor, const void *x, mudnnTensorDescriptor_t y_tensor, void *y,
    mudnnTensorDescriptor_t channel_tensor, const void *scale, const void *bias, const void *mean,
    const void *variance, double epsilon) {
  dnn_detail::Shape in;
  dnn_detail::Shape channel;
  mudnnStatus_t status = dnn_detail::read(x_tensor, &in);
  if (status == MUDNN_STATUS_SUCCESS) status = dnn_detail::read(channel_tensor, &channel);
  if (status != MUDNN_STATUS_SUCCESS) return status;
  if (mode != MUDNN_BATCHNORM_SPATIAL || in.rank < 2) return MUDNN_STATUS_NOT_SUPPORTED;
  if (!dnn_detail::is_plain(in.type, alpha, beta)) return MUDNN_STATUS_NOT_SUPPORTED;
  int64_t channels = in.dims[1];
  int64_t step = 1;
  mudnnTensorDescriptor_t values = nullptr;
  mudnnBatchNormStruct *norm = nullptr;
  status = mudnnCreateTensorDescriptor(&values);
  if (status != MUDNN_STATUS_SUCCESS) return status;
  status = mudnnSetTensorNdDescriptorWithScale(values, MUDNN_TENSOR_NCHW, channel.type, 1,
                                               &channels, &step, 1.0f);
  if (status == MUDNN_STATUS_SUCCESS) status = mudnnCreateBatchNormDescriptor(&norm);
  if (status == MUDNN_STATUS_SUCCESS) {
    status = mudnnSetBatchNormDescriptor(norm, mode, epsilon, false);
    if (status == MUDNN_STATUS_SUCCESS) {
      status = mudnnBatchNormForwardInference(
          handle, norm, y_tensor, y, x_tensor, const_cast<void *>(x), values,
          const_cast<void *>(mean), values, const_cast<void *>(variance), values,
          const_cast<void *>(scale), values, const_cast<void *>(bias));
    }
    mudnnDestroyBatchNormDescriptor(norm);
  }
  mudnnDestroyTensorDescriptor(values);
  return status;
}

// cuDNN keeps the parameters of half tensors in float.
inline mudnnStatus_t dnnDeriveBNTensorDescriptor(mudnnTensorDescriptor_t derived,
                                                 mudnnTensorDescriptor_t x_tensor,
                                                 mudnnBatchNormMode_t mode) {
  dnn_detail::Shape in;
  mudnnStatus_t status = dnn_detail::read(x_tensor, &in);
  if (status != MUDNN_STATUS_SUCCESS) return status;
  if (mode != MUDNN_BATCHNORM_SPATIAL || in.rank < 2) return MUDNN_STATUS_NOT_SUPPORTED;
  int dims[MUDNN_DIM_MAX];
  int strides[MUDNN_DIM_MAX];
  for (int i = 0; i < in.rank; ++i) {
    dims[i] = i == 1 ? in.dims[1] : 1;
    strides[i] = i == 0 ? in.dims[1] : 1;
  }
  bool narrow = in.type == MUDNN_DATA_HALF || in.type == MUDNN_DATA_BFLOAT16;
  return mudnnSetTensorNdDescriptor(derived, narrow ? MUDNN_DATA_FLOAT : in.type, in.rank, dims,
                                    strides);
}

}  // namespace sigtrans
#endif  // SIGTRANS_HAS_DNN
