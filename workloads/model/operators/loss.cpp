#include "workloads/model/layer_work.hpp"
#include "workloads/model/operators/operator_family.hpp"
#include "workloads/model/operators/shape_rule.hpp"

namespace mlsim::workloads {
namespace {

Operator loss(LayerKind kind, std::string_view name) {
  return {
      kind, name, OperatorClass::loss, {}, {}, same_shape, nullptr, nullptr, elementwise_layer_work, elementwise_kept};
}

}  // namespace

Operators loss_operators() {
  return {loss(LayerKind::softmax_loss, "softmax_loss"), loss(LayerKind::sigmoid_loss, "sigmoid_loss"),
          loss(LayerKind::regression_loss, "regression_loss")};
}

}  // namespace mlsim::workloads
