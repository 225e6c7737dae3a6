// A `RowThread` is one thread's part in a kernel that reduces each row and then writes it; it also runs on the host.
//
// A row passes through registers once: every thread loads its vectors and adds them up, the threads merge their sums,
// and each finishes what it holds. An operator Op has
//   struct Total            summed over a row; `void merge(const Total&)`; default: nothing summed. Symmetric merges
//                           give all threads the same bits
//   RowSpan span(row)          where the row lies
//   template <int W> struct Held    what a thread keeps of W elements
//   Held<W> load<W>(row, index)     index: of the first element within the row
//   void add<W>(Total&, const Held<W>&, row, index)
//   void total(row, const Total&)   by one thread of the row
//   void finish<W>(row, index, const Held<W>&, const Total&, Carry<W>&)
//   template <int W> struct Carry   summed over the rows of a thread, column by column
//   void flush<W>(index, const Carry<W>&)
//   bool kReduces, kCarries
#pragma once

#include <cstdint>

#include "kernels/cuda/framework/host_device.hpp"

namespace mlsim::kernels::cuda {

struct RowSpan {
  std::int64_t begin = 0;
  std::int64_t elements = 0;
};

/// The total of an operation that sums and carries nothing is empty.
struct NoTotal {
  MLSIM_HD void merge(const NoTotal&) {}
};
template <int W>
struct NoCarry {};

/// A RowThread is lane `lane` of the `lanes` that share a row, with kVectors vectors of W elements in registers; with 0
/// it keeps none, and the row is read twice. A row of more elements than lanes * W * kVectors needs kVectors = 0.
/// Elements behind the last whole vector are taken one by one and read twice.
template <class Op, int W, int kVectors>
class RowThread {
 public:
  using Total = typename Op::Total;

  MLSIM_HD RowThread(int lane, int lanes) : lane_(lane), lanes_(lanes) {}

  MLSIM_HD Total start(const Op& op, std::int64_t row) {
    Total sum{};
    const std::int64_t elements = op.span(row).elements, whole = elements / W * W;
    if constexpr (kVectors > 0) {
      MLSIM_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        if (index_of(v) < whole) held_[v] = op.template load<W>(row, index_of(v));
      }
      MLSIM_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        if (index_of(v) < whole) op.template add<W>(sum, held_[v], row, index_of(v));
      }
    } else if constexpr (Op::kReduces) {
      for (std::int64_t i = index_of(0); i < whole; i += stride()) {
        op.template add<W>(sum, op.template load<W>(row, i), row, i);
      }
    }
    if constexpr (W > 1 && Op::kReduces) {
      for (std::int64_t i = whole + lane_; i < elements; i += lanes_) {
        op.template add<1>(sum, op.template load<1>(row, i), row, i);
      }
    }
    return sum;
  }

  MLSIM_HD void finish(const Op& op, std::int64_t row, const Total& sum) {
    const std::int64_t elements = op.span(row).elements, whole = elements / W * W;
    if (lane_ == 0) op.total(row, sum);
    if constexpr (kVectors > 0) {
      MLSIM_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        if (index_of(v) < whole) op.template finish<W>(row, index_of(v), held_[v], sum, carry_[v]);
      }
    } else {
      for (std::int64_t i = index_of(0); i < whole; i += stride()) {
        typename Op::template Carry<W> carry{};
        op.template finish<W>(row, i, op.template load<W>(row, i), sum, carry);
        if constexpr (Op::kCarries) op.template flush<W>(i, carry);
      }
    }
    if constexpr (W > 1) {
      for (std::int64_t i = whole + lane_; i < elements; i += lanes_) {
        typename Op::template Carry<1> carry{};
        op.template finish<1>(row, i, op.template load<1>(row, i), sum, carry);
        if constexpr (Op::kCarries) op.template flush<1>(i, carry);
      }
    }
  }

  /// This is called once, behind the last row; `columns` are those of every row.
  MLSIM_HD void flush(const Op& op, std::int64_t columns) {
    if constexpr (kVectors > 0 && Op::kCarries) {
      MLSIM_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        if (index_of(v) < columns / W * W) op.template flush<W>(index_of(v), carry_[v]);
      }
    }
  }

 private:
  MLSIM_HD std::int64_t index_of(int vector) const { return (std::int64_t{vector} * lanes_ + lane_) * W; }
  MLSIM_HD std::int64_t stride() const { return std::int64_t{lanes_} * W; }

  static constexpr int kSlots = kVectors > 0 ? kVectors : 1;
  int lane_, lanes_;
  typename Op::template Held<W> held_[kSlots];
  typename Op::template Carry<W> carry_[kSlots]{};
};

}  // namespace mlsim::kernels::cuda
