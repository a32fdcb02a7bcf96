// What the helper header makes of a model of muDNN.
#include "mudnn_model.h"
#include "sigtrans_dnn.h"
using namespace sigtrans;
static void show(const char *what, int status, const std::vector<float> &v) {
  std::printf("%s %d", what, status);
  for (float each : v) std::printf(" %.4f", each);
  std::printf("\n");
}
int main() {
  float one = 1, zero = 0, two = 2;
  mudnnTensorDescriptor_t x, y, p;
  mudnnCreateTensorDescriptor(&x); mudnnCreateTensorDescriptor(&y); mudnnCreateTensorDescriptor(&p);
  dnnSetTensor4dDescriptor(x, MUDNN_TENSOR_NCHW, MUDNN_DATA_FLOAT, 1, 2, 2, 2);
  dnnSetTensor4dDescriptor(y, MUDNN_TENSOR_NHWC, MUDNN_DATA_FLOAT, 1, 2, 3, 5);
  std::printf("nhwc %d %d %d %d\n", int(y->s[0]), int(y->s[1]), int(y->s[2]), int(y->s[3]));
  std::printf("hwcn %d\n", dnnSetTensor4dDescriptor(y, MUDNN_TENSOR_HWCN, MUDNN_DATA_FLOAT, 1, 2, 3, 5));
  std::vector<float> in = {-2, -1, 0, 1, 2, 3, 4, 8}, out(8);
  auto softmax = [&](dnnSoftmaxAlgorithm_t a, dnnSoftmaxMode_t m, const float *alpha) {
    out.assign(8, 0);
    return dnnSoftmaxForward("h", a, m, alpha, x, in.data(), &zero, x, out.data());
  };
  int s = softmax(DNN_SOFTMAX_ACCURATE, DNN_SOFTMAX_MODE_CHANNEL, &one); show("softmax", s, out);
  s = softmax(DNN_SOFTMAX_LOG, DNN_SOFTMAX_MODE_CHANNEL, &one); show("log", s, out);
  s = softmax(DNN_SOFTMAX_FAST, DNN_SOFTMAX_MODE_INSTANCE, &one); show("instance", s, out);
  s = softmax(DNN_SOFTMAX_FAST, DNN_SOFTMAX_MODE_CHANNEL, &two); show("alpha", s, out);
  dnnActivationDescriptor_t act; mudnnCreateActivationDescriptor(&act);
  auto activate = [&](const char *what, mudnnActivationMode_t m, double c) {
    out.assign(8, 0);
    dnnSetActivationDescriptor(act, m, 0, c);
    show(what, dnnActivationForward("h", act, &one, x, in.data(), &zero, x, out.data()), out);
  };
  activate("relu", MUDNN_ACTIVATION_RELU, 0);
  activate("clipped", MUDNN_ACTIVATION_CLIPPED_RELU, 3);
  activate("elu", MUDNN_ACTIVATION_ELU, 1);
  dnnDestroyActivationDescriptor(act);
  dnnPoolingDescriptor_t pool; mudnnCreatePoolingDescriptor(&pool);
  dnnSetTensor4dDescriptor(y, MUDNN_TENSOR_NCHW, MUDNN_DATA_FLOAT, 1, 2, 2, 1);
  out.assign(4, 0);
  dnnSetPooling2dDescriptor(pool, MUDNN_POOLING_MAX, 0, 1, 2, 0, 0, 1, 2);
  s = dnnPoolingForward("h", pool, &one, x, in.data(), &zero, y, out.data()); show("max", s, out);
  dnnSetPooling2dDescriptor(pool, MUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING, 0, 1, 2, 0, 0, 1, 2);
  s = dnnPoolingForward("h", pool, &one, x, in.data(), &zero, y, out.data()); show("mean", s, out);
  dnnDestroyPoolingDescriptor(pool);
  out.assign(8, 0);
  std::vector<float> scale = {1, 2}, bias = {0, 1}, mean = {0, 2}, variance = {1, 4};
  dnnDeriveBNTensorDescriptor(p, x, MUDNN_BATCHNORM_SPATIAL);
  std::printf("derived %d %d %d %d\n", int(p->d[0]), int(p->d[1]), int(p->d[2]), int(p->d[3]));
  auto norm = [&](mudnnBatchNormMode_t m) {
    return dnnBatchNormalizationForwardInference("h", m, &one, &zero, x, in.data(), x, out.data(), p,
        scale.data(), bias.data(), mean.data(), variance.data(), 0.0);
  };
  s = norm(MUDNN_BATCHNORM_SPATIAL); show("norm", s, out);
  std::printf("activation-norm %d\n", norm(MUDNN_BATCHNORM_PER_ACTIVATION));
  mudnnFilterDescriptor_t f; mudnnCreateFilterDescriptor(&f);
  dnnSetFilter4dDescriptor(f, MUDNN_DATA_FLOAT, MUDNN_TENSOR_NCHW, 7, 3, 5, 1);
  dnnConvolutionDescriptor_t c; mudnnCreateConvolutionDescriptor(&c);
  dnnSetConvolution2dDescriptor(c, 1, 2, 3, 4, 5, 6, 0, MUDNN_DATA_FLOAT);
  std::printf("filter %d %d %d %d conv %d %d %d %d %d %d\n", f->d[0], f->d[1], f->d[2], f->d[3],
              c->pad[0], c->pad[1], c->stride[0], c->stride[1], c->dilation[0], c->dilation[1]);
  dnnSetTensor4dDescriptor(y, MUDNN_TENSOR_NCHW, MUDNN_DATA_FLOAT, 2, 3, 30, 17);
  int n = 0, k = 0, h = 0, w = 0;
  s = dnnGetConvolution2dForwardOutputDim(c, y, f, &n, &k, &h, &w);
  std::printf("out %d %d %d %d %d\n", s, n, k, h, w);
  dnnSetTensor4dDescriptor(y, MUDNN_TENSOR_NCHW, MUDNN_DATA_FLOAT, 1, 2, 1, 1);
  std::vector<float> per_channel = {10, 20};
  out = in;
  s = dnnAddTensor("h", &one, y, per_channel.data(), &one, x, out.data()); show("add", s, out);
  std::printf("scaled %d\n", dnnAddTensor("h", &two, y, per_channel.data(), &one, x, out.data()));
  dnnDestroyFilterDescriptor(f); dnnDestroyConvolutionDescriptor(c);
  std::printf("gone %d\n", dnnGetConvolution2dForwardOutputDim(c, y, f, &n, &k, &h, &w));
  mudnnDestroyTensorDescriptor(x); mudnnDestroyTensorDescriptor(y); mudnnDestroyTensorDescriptor(p);
  std::printf("live %d\n", live);
}
