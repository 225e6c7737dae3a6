#include <numeric>

#include "workloads/model/layer_work/parts.hpp"

namespace mlsim::workloads {
namespace {

constexpr Bytes kIndex(4);  // bytes of a row's number
// Device memory is read in sectors of this size (CUDA C++ Programming Guide, device memory accesses).
constexpr double kSector = 32;

// Bytes of a row that lies anywhere.
Bytes scattered_row(double width, Precision precision) {
  return Bytes(std::ceil(element_size(precision).value * width / kSector) * kSector);
}

struct Table {
  double reads;  // rows of all tables that the batch reads
  double width;
  double rows;
};

Table table_of(const Layer& layer, double batch) {
  return {batch * double(layer.output.positions()), double(layer.output.channels),
          double(std::accumulate(layer.rows.begin(), layer.rows.end(), std::int64_t{0}))};
}

KernelWork gather(const Table& table, Precision precision) {
  KernelWork work;
  work.key = {KernelOp::gather, precision, {whole(table.reads), whole(table.width), whole(table.rows)}};
  const Bytes stream = element_size(precision) * table.width;
  work.bytes = (scattered_row(table.width, precision) + stream + kIndex) * table.reads;
  return work;
}

// A dense gradient is cleared and added to row by row; of a sparse one only the rows exist.
KernelWork scatter_add(const Table& table, bool sparse, Precision precision) {
  KernelWork work;
  work.key = {
      KernelOp::scatter_add, precision, {whole(table.reads), whole(table.width), sparse ? 0 : whole(table.rows)}};
  const Bytes stream = element_size(precision) * table.width;
  const Bytes added = sparse ? stream : scattered_row(table.width, precision) * 2.0;
  work.bytes = (stream + added + kIndex) * table.reads;
  if (!sparse) work.bytes += stream * table.rows;
  return work;
}

KernelWork roi_align(const Layer& layer, bool backward, double batch, Precision precision) {
  KernelWork work;
  work.key = {
      backward ? KernelOp::roi_align_backward : KernelOp::roi_align_forward,
      precision,
      {whole(batch), layer.output.elements() / layer.input.channels, layer.input.channels, layer.input.positions()}};
  // Backward: the gradient of the map is cleared, read and written.
  const double map = double(layer.input.elements()) * (backward ? 3 : 1);
  work.bytes = element_size(precision) * (batch * (map + double(layer.output.elements())));
  return work;
}

}  // namespace

Kernels look_up_work(const Layer& layer, Pass pass, double batch, Precision precision, FusionRole) {
  if (layer.kind == LayerKind::roi_align) {
    if (pass == Pass::weight_gradient) return {};
    return {roi_align(layer, pass == Pass::input_gradient, batch, precision)};
  }
  const Table table = table_of(layer, batch);
  if (pass == Pass::forward) return {gather(table, precision)};
  if (pass == Pass::weight_gradient) return {scatter_add(table, layer.sparse, precision)};
  return {};
}

Kept look_up_kept(const Layer& layer, FusionRole) {
  Kept kept;
  kept.inputs = layer.kind != LayerKind::roi_align && layer.trainable;  // the ids
  return kept;
}

}  // namespace mlsim::workloads
