#include "calibrate/keyed_work.hpp"

#include <algorithm>

#include "workloads/model/layer_work.hpp"
#include "workloads/model/layer_work/parts.hpp"

namespace mlsim::calibrate {
namespace {

// Dimension i, or what it stands for where it is left out.
double dim(const KernelKey& key, std::size_t i, double usual = 0) {
  return key.dims[i] == 0 ? usual : static_cast<double>(key.dims[i]);
}

Layer convolution_layer(const KernelKey& key) {
  const auto whole_dim = [&](std::size_t i, std::int64_t usual) {
    return static_cast<int>(key.dims[i] == 0 ? usual : key.dims[i]);
  };
  Layer layer;
  layer.kernel = {whole_dim(5, 1), whole_dim(7, whole_dim(5, 1))};
  layer.stride = {whole_dim(6, 1), whole_dim(8, whole_dim(6, 1))};
  layer.padding = {(layer.kernel.height - 1) / 2, (layer.kernel.width - 1) / 2};
  layer.groups = whole_dim(9, 1);
  const auto windows = [](int extent, int kernel, int stride, int padding) {
    return std::max(1, (extent + 2 * padding - kernel) / stride + 1);
  };
  layer.input = {whole_dim(1, 1), whole_dim(2, 1), whole_dim(3, 1)};
  layer.output = {whole_dim(4, 1),
                  windows(layer.input.height, layer.kernel.height, layer.stride.height, layer.padding.height),
                  windows(layer.input.width, layer.kernel.width, layer.stride.width, layer.padding.width)};
  return layer;
}

KernelWork convolution(const KernelKey& key, Pass pass) {
  return convolution_work(convolution_layer(key), pass, dim(key, 0, 1), key.precision, FusionRole::leads).front();
}

KernelWork dense(const KernelKey& key, Pass pass) {
  return dense_kernel(pass, dim(key, 0), dim(key, 1), dim(key, 2), dim(key, 3, 1), 0, key.precision);
}

// A layer that leads its kernel, with one tensor of `channels` x `positions` per sample.
KernelWork elementwise_layer(LayerKind kind, bool backward, Shape tensor, double batch, Precision precision) {
  Layer layer;
  layer.kind = kind;
  layer.input = layer.output = tensor;
  const auto elements = elementwise_elements(layer, backward, FusionRole::leads, precision);
  return elementwise_work({elements.read * batch, elements.written * batch, elements.launches}, precision);
}

KernelWork rows_of_channels(const KernelKey& key, LayerKind kind, bool backward) {
  const Shape vector{static_cast<int>(dim(key, 1, 1)), 1, 1};
  return elementwise_layer(kind, backward, vector, dim(key, 0), key.precision);
}

KernelWork pool(const KernelKey& key, LayerKind kind, bool backward) {
  const Shape image{static_cast<int>(dim(key, 1)), static_cast<int>(dim(key, 2)), static_cast<int>(dim(key, 3))};
  return elementwise_layer(kind, backward, image, dim(key, 0), key.precision);
}

KernelWork lstm(const KernelKey& key, Pass pass) {
  Layer layer;
  layer.kind = LayerKind::lstm;
  const auto hidden = static_cast<int>(dim(key, 1)), steps = static_cast<int>(dim(key, 2));
  layer.input = layer.output = {hidden, steps, 1};
  const auto kernels = lstm_work(layer, pass, dim(key, 0), key.precision, FusionRole::leads);
  return pass == Pass::forward ? kernels.back() : kernels.front();
}

KernelWork look_up(const KernelKey& key, Pass pass) {
  Layer layer;
  layer.kind = LayerKind::embedding;
  layer.output = {static_cast<int>(dim(key, 1)), 1, 1};
  layer.rows = {key.dims[2]};
  layer.sparse = key.dims[2] == 0;
  return look_up_work(layer, pass, dim(key, 0), key.precision, FusionRole::leads).front();
}

KernelWork roi_align(const KernelKey& key, Pass pass) {
  Layer layer;
  layer.kind = LayerKind::roi_align;
  const auto channels = static_cast<int>(dim(key, 2, 1));
  layer.input = {channels, static_cast<int>(dim(key, 3)), 1};
  layer.output = {channels, static_cast<int>(dim(key, 1)), 1};
  return look_up_work(layer, pass, dim(key, 0), key.precision, FusionRole::leads).front();
}

KernelWork plain_work(const KernelKey& key) {
  switch (key.op) {
    case KernelOp::conv_forward: return convolution(key, Pass::forward);
    case KernelOp::conv_input_gradient: return convolution(key, Pass::input_gradient);
    case KernelOp::conv_weight_gradient: return convolution(key, Pass::weight_gradient);
    case KernelOp::dense_forward: return dense(key, Pass::forward);
    case KernelOp::dense_input_gradient: return dense(key, Pass::input_gradient);
    case KernelOp::dense_weight_gradient: return dense(key, Pass::weight_gradient);
    case KernelOp::matmul: return matmul_kernel(dim(key, 0), dim(key, 1), dim(key, 2), dim(key, 3, 1), key.precision);
    case KernelOp::elementwise:
      return elementwise_work({dim(key, 0), dim(key, 1), static_cast<int>(dim(key, 2, 1))}, key.precision);
    case KernelOp::optimizer:
      return optimizer_work(key.dims[0], static_cast<int>(key.dims[1]), Bytes(dim(key, 2)),
                            static_cast<int>(dim(key, 3, 1)));
    case KernelOp::lstm_forward: return lstm(key, Pass::forward);
    case KernelOp::lstm_backward: return lstm(key, Pass::input_gradient);
    case KernelOp::gather: return look_up(key, Pass::forward);
    case KernelOp::scatter_add: return look_up(key, Pass::weight_gradient);
    case KernelOp::roi_align_forward: return roi_align(key, Pass::forward);
    case KernelOp::roi_align_backward: return roi_align(key, Pass::input_gradient);
    case KernelOp::batch_norm_forward: return rows_of_channels(key, LayerKind::batch_normalization, false);
    case KernelOp::batch_norm_backward: return rows_of_channels(key, LayerKind::batch_normalization, true);
    case KernelOp::layer_norm_forward: return rows_of_channels(key, LayerKind::layer_normalization, false);
    case KernelOp::layer_norm_backward: return rows_of_channels(key, LayerKind::layer_normalization, true);
    case KernelOp::max_pool_forward: return pool(key, LayerKind::max_pool, false);
    case KernelOp::max_pool_backward: return pool(key, LayerKind::max_pool, true);
    case KernelOp::average_pool_forward: return pool(key, LayerKind::average_pool, false);
    case KernelOp::average_pool_backward: return pool(key, LayerKind::average_pool, true);
    case KernelOp::softmax_loss_forward: return rows_of_channels(key, LayerKind::softmax_loss, false);
    case KernelOp::softmax_loss_backward: return rows_of_channels(key, LayerKind::softmax_loss, true);
    case KernelOp::sigmoid_loss_forward: return rows_of_channels(key, LayerKind::sigmoid_loss, false);
    case KernelOp::sigmoid_loss_backward: return rows_of_channels(key, LayerKind::sigmoid_loss, true);
  }
  return {};
}

// Elements that merged layers move beside the kernel; its place in the key depends on the operator.
double merged_elements(const KernelKey& key) {
  switch (key.op) {
    case KernelOp::conv_forward:
    case KernelOp::conv_input_gradient:
    case KernelOp::conv_weight_gradient: return dim(key, 10);
    case KernelOp::dense_forward:
    case KernelOp::dense_input_gradient:
    case KernelOp::dense_weight_gradient:
    case KernelOp::matmul: return dim(key, 4);
    case KernelOp::batch_norm_forward:
    case KernelOp::batch_norm_backward:
    case KernelOp::layer_norm_forward:
    case KernelOp::layer_norm_backward: return dim(key, 2);
    case KernelOp::max_pool_forward:
    case KernelOp::max_pool_backward:
    case KernelOp::average_pool_forward:
    case KernelOp::average_pool_backward: return dim(key, 8);
    default: return 0;
  }
}

}  // namespace

KernelWork keyed_work(const KernelKey& key) {
  KernelWork work = plain_work(key);
  work.bytes += element_size(key.precision) * merged_elements(key);
  work.key = key;
  return work;
}

}  // namespace mlsim::calibrate
