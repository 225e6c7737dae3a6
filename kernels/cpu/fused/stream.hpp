// These kernels move elements and do little else: sums of streams, copies, rows of a table.
#pragma once

#include <cstdint>

#include "kernels/cpu/framework/buffer.hpp"
#include "kernels/cpu/fused/rows.hpp"

namespace mlsim::kernels {

/// Sets written[i] = sum of all read[j] with j mod `writes` = i; where there are fewer reads than writes, read[i mod
/// reads] (0 where there is none).
void sum_streams(const float* read, std::int64_t reads, float* written, std::int64_t writes, int threads);

/// Copies with the stores that the C library's memcpy chooses, which go past the caches where the copy is large.
void copy_stream(const float* from, std::int64_t elements, float* to, int threads);

/// Reads all of `data` and writes the same.
void rewrite(float* data, std::int64_t elements, int threads);

/// TableRows are rows of `width` elements in a table, `count` of which a batch names.
struct TableRows {
  const std::int32_t* numbers;
  std::int64_t count, width;
};
/// Sets gathered[i] = table[numbers[i]].
void gather_rows(TableRows rows, const float* table, float* gathered, int threads);
/// Does table[numbers[i]] += added[i]. A row belongs to one thread, so that none needs a lock.
void scatter_add_rows(TableRows rows, const float* added, float* table, int threads);

/// Features are rows x columns, labels 0 or 1.
struct LogisticOperands {
  LogisticOperands(RowShape shape, std::uint64_t seed);
  Buffer features, labels, weights, gradient;
  Buffer logits, losses, logit_gradient;
};

/// Sets losses[i] = -log of the probability of the label.
void sigmoid_loss(const float* logits, const float* labels, std::int64_t count, float* losses, int threads);
/// Sets gradient = (sigmoid(logits) - labels) / count.
void sigmoid_loss_gradient(const float* logits, const float* labels, std::int64_t count, float* gradient, int threads);

/// Takes rate * gradient off the weights. A row's features are still in the cache when the gradient is added up.
void logistic_step(RowShape shape, float rate, LogisticOperands& operands);

}  // namespace mlsim::kernels
