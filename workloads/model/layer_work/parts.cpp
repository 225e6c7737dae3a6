#include "workloads/model/layer_work/parts.hpp"

namespace mlsim::workloads {
namespace {

KernelOp dense_op(Pass pass) {
  if (pass == Pass::forward) return KernelOp::dense_forward;
  return pass == Pass::input_gradient ? KernelOp::dense_input_gradient : KernelOp::dense_weight_gradient;
}

}  // namespace

KernelWork dense_kernel(Pass pass, double rows, std::int64_t inputs, std::int64_t outputs, std::int64_t products,
                        double biases, Precision precision) {
  return costs::kernel_work({dense_op(pass), precision, DenseShape{whole(rows), inputs, outputs, products}},
                            {.count = rows, .biases = biases});
}

KernelWork matmul_kernel(double m, double n, double k, double products, Precision precision) {
  return costs::kernel_work({KernelOp::matmul, precision, ProductShape{whole(m), whole(n), whole(k), whole(products)}},
                            {.count = products});
}

}  // namespace mlsim::workloads
