#include "workloads/model/layer_work/parts.hpp"

namespace mlsim::workloads {
namespace {

KernelOp dense_op(Pass pass) {
  if (pass == Pass::forward) return KernelOp::dense_forward;
  return pass == Pass::input_gradient ? KernelOp::dense_input_gradient : KernelOp::dense_weight_gradient;
}

GemmShape dense_gemm(Pass pass, double rows, double inputs, double outputs) {
  if (pass == Pass::forward) return {rows, outputs, inputs};
  return pass == Pass::input_gradient ? GemmShape{rows, inputs, outputs} : GemmShape{inputs, outputs, rows};
}

}  // namespace

KernelWork dense_kernel(Pass pass, double rows, double inputs, double outputs, double products, double biases,
                        Precision precision) {
  KernelWork work;
  work.key = {dense_op(pass), precision, {whole(rows), whole(inputs), whole(outputs), unless(1, whole(products))}};
  work.gemm = dense_gemm(pass, rows, inputs, outputs);
  work.products = products;
  work.flop = Flop(2 * rows * inputs * outputs * products);
  work.bytes =
      element_size(precision) * (products * (rows * inputs + rows * outputs + inputs * outputs + biases * outputs));
  return work;
}

KernelWork matmul_kernel(double m, double n, double k, double products, Precision precision) {
  KernelWork work;
  work.key = {KernelOp::matmul, precision, {whole(m), whole(n), whole(k), unless(1, whole(products))}};
  work.gemm = {m, n, k};
  work.products = products;
  work.flop = Flop(2 * m * n * k * products);
  work.bytes = element_size(precision) * (products * (m * k + k * n + m * n));
  return work;
}

}  // namespace mlsim::workloads
