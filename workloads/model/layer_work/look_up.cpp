#include <numeric>

#include "workloads/model/layer_work/parts.hpp"

namespace mlsim::workloads {
namespace {

std::int64_t table_rows(const Layer& layer) {
  return std::accumulate(layer.rows.begin(), layer.rows.end(), std::int64_t{0});
}

KernelWork look_up(KernelOp op, const Layer& layer, std::int64_t rows_of_table, double batch, Precision precision) {
  const double rows = batch * double(layer.look_ups());
  KernelWork work = costs::kernel_work({op, precision, LookUpShape{whole(rows), layer.output.channels, rows_of_table}},
                                       {.count = rows});
  // Rows that make one vector are added where they are read, and only the sum is written.
  if (op == KernelOp::gather)
    work.bytes = work.bytes - element_size(precision) * (batch * double(layer.look_ups() - layer.output.positions()) *
                                                         double(layer.output.channels));
  return work;
}

KernelWork roi_align(KernelOp op, const Layer& layer, double batch, Precision precision) {
  const std::int64_t bins = layer.output.elements() / layer.input.channels;
  return costs::kernel_work(
      {op, precision, RegionShape{whole(batch), bins, layer.input.channels, layer.input.positions()}},
      {.count = batch});
}

}  // namespace

Kernels look_up_work(const Layer& layer, Pass pass, double batch, Precision precision, FusionRole) {
  if (layer.kind == LayerKind::roi_align) {
    if (pass == Pass::weight_gradient) return {};
    const bool forward = pass == Pass::forward;
    return {roi_align(forward ? KernelOp::roi_align_forward : KernelOp::roi_align_backward, layer, batch, precision)};
  }
  if (pass == Pass::forward) return {look_up(KernelOp::gather, layer, table_rows(layer), batch, precision)};
  if (pass == Pass::input_gradient) return {};
  return {look_up(KernelOp::scatter_add, layer, layer.sparse ? 0 : table_rows(layer), batch, precision)};
}

Kept look_up_kept(const Layer& layer, FusionRole) {
  Kept kept;
  kept.inputs = layer.kind != LayerKind::roi_align && layer.trainable;  // the ids
  return kept;
}

}  // namespace mlsim::workloads
