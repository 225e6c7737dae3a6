#include "workloads/lowering/optimizer.hpp"

#include <cmath>

#include "costs/kernel_work.hpp"

namespace mlsim::workloads {
namespace {

struct Row {
  const char* name;
  UpdatePass norms, update;  // multi-tensor
  UpdateRule both;           // norms and update in one kernel
  double state_bytes;
  UpdatePass tensor_norms, tensor_update;  // per tensor
};

// The kernels for each tensor are, with (reads, writes) of each:
//   sgd           decay (2, 1), step (2, 1)
//   momentum      decay, scale (1, 1), add (2, 1), step
//   nesterov      momentum's and add (2, 1)
//   lars          norms (1, 0), (1, 0); four kernels on scalars, scale (1, 1), and momentum's
//   adam          scale (1, 1), add (2, 1), scale (1, 1), addcmul (2, 1), sqrt (1, 1), divide (1, 1), add (1, 1),
//                 addcdiv (3, 1)
//   lamb          scale, add, scale, addcmul, sqrt, add, divide (2, 1), decay, norms (1, 0), (1, 0); then two kernels
//                 on scalars and step
//   averaged_sgd  decay, scale, step, subtract (2, 1), scale, add (2, 1)
//   adagrad       addcmul (2, 1), sqrt, add, addcdiv (3, 1)
const std::vector<Row>& rows() {
  using enum UpdateRule;
  const auto pass = [](double bytes, UpdateRule rule) { return UpdatePass{Bytes(bytes), 1, rule}; };
  // The last pass of LARS is momentum's with a rate for each tensor, that of LAMB SGD's on its step.
  static const std::vector<Row> table{
      {"sgd", {}, pass(12, sgd), sgd, 0, {}, {Bytes(24), 2}},
      {"momentum", {}, pass(20, momentum), momentum, 4, {}, {Bytes(44), 4}},
      {"nesterov", {}, pass(20, nesterov), nesterov, 4, {}, {Bytes(56), 5}},
      {"lars", pass(8, lars_norms), pass(20, momentum), lars, 4, {Bytes(8), 2}, {Bytes(52), 9}},
      {"adam", {}, pass(28, adam), adam, 8, {}, {Bytes(80), 8}},
      {"lamb", pass(32, lamb_norms), pass(12, sgd), lamb, 8, {Bytes(88), 10}, {Bytes(12), 3}},
      {"averaged_sgd", {}, pass(20, averaged_sgd), averaged_sgd, 4, {}, {Bytes(64), 6}},
      {"adagrad", {}, pass(20, adagrad), adagrad, 4, {}, {Bytes(44), 4}},
  };
  return table;
}

const Row& row(Optimizer optimizer) { return rows()[static_cast<std::size_t>(optimizer)]; }

}  // namespace

const Words<Optimizer>& words(Optimizer) {
  static const auto table = [] {
    Words<Optimizer> all{"optimizer", {}};
    for (const auto& each : rows()) all.names.emplace_back(each.name);
    return all;
  }();
  return table;
}

std::vector<Optimizer> usual_optimizers(ModelFamily family) {
  switch (family) {
    case ModelFamily::transformer:
    case ModelFamily::translation: return {Optimizer::adam, Optimizer::lamb};
    case ModelFamily::recurrent: return {Optimizer::sgd, Optimizer::averaged_sgd};
    case ModelFamily::recommender:
    case ModelFamily::linear: return {Optimizer::sgd};
    case ModelFamily::convolutional: break;
  }
  return {Optimizer::momentum, Optimizer::lars};
}

UpdateCost update_cost(Optimizer optimizer, bool multi_tensor) {
  const Row& each = row(optimizer);
  if (!multi_tensor) return {each.tensor_norms, each.tensor_update};
  return {each.norms, each.update};
}

UpdatePass row_update(Optimizer optimizer) {
  const Row& each = row(optimizer);
  return {each.norms.bytes + each.update.bytes, 1, each.both};
}

KernelWork update_work(const UpdatePass& pass, std::int64_t parameters, int tensors, int launches) {
  return costs::kernel_work({KernelOp::optimizer, Precision::fp32,
                             OptimizerShape{parameters, tensors, std::llround(pass.bytes.value), launches, pass.rule}});
}

Bytes state_bytes_per_parameter(Optimizer optimizer) { return Bytes(row(optimizer).state_bytes); }

}  // namespace mlsim::workloads
