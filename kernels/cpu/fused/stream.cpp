#include "kernels/cpu/fused/stream.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/cpu/framework/lanes.hpp"
#include "kernels/cpu/framework/team.hpp"

namespace mlsim::kernels {
namespace {

// A thread sums up so many elements before it goes on: they stay in level 1.
constexpr std::int64_t kStretch = 2048;

MLSIM_VECTORISED void add_to(const float* x, std::int64_t n, float* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] += x[i];
}

// The compiler keeps the addition: it makes 0 of -0.
MLSIM_VECTORISED void add_zero(float* x, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) x[i] += 0.0f;
}

// add_to does not serve: it would read y, and nothing is read here but a and b.
MLSIM_VECTORISED void add_pair(const float* a, const float* b, std::int64_t n, float* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = a[i] + b[i];
}

void sum_stretch(const float* read, std::int64_t reads, float* written, std::int64_t writes, std::int64_t begin,
                 std::int64_t n) {
  float* y = written + begin;
  const auto readable = [&](std::int64_t from) { return std::clamp<std::int64_t>(reads - from, 0, n); };
  const std::int64_t second = readable(begin + writes);
  if (second > 0) {
    add_pair(read + begin, read + begin + writes, second, y);
    std::copy_n(read + begin + second, n - second, y + second);
  } else {
    std::copy_n(read + begin, n, y);
  }
  for (std::int64_t from = begin + 2 * writes; from < reads; from += writes) add_to(read + from, readable(from), y);
}

// Every thread adds up its part of the rows: there are few sums of many elements each.
void sum_columns(const float* read, std::int64_t reads, float* written, std::int64_t writes, int threads) {
  std::vector<std::vector<float>> parts(threads, std::vector<float>(writes));
  run_team(threads, [&](int rank) {
    const Range range = share(reads, rank, threads, writes);
    for (std::int64_t from = range.begin; from < range.end; from += writes)
      add_to(read + from, std::min(writes, range.end - from), parts[rank].data());
  });
  std::fill_n(written, writes, 0.0f);
  for (const auto& part : parts) add_to(part.data(), writes, written);
}

void repeat_stretch(const float* read, std::int64_t reads, float* written, std::int64_t begin, std::int64_t n) {
  if (reads == 0) {
    std::fill_n(written + begin, n, 0.0f);
    return;
  }
  for (std::int64_t done = 0; done < n;) {
    const std::int64_t from = (begin + done) % reads, some = std::min(reads - from, n - done);
    std::copy_n(read + from, some, written + begin + done);
    done += some;
  }
}

MLSIM_VECTORISED float dot(const float* x, const float* w, std::int64_t n) {
  const std::int64_t whole = n / kLanes * kLanes;
  Lanes sum{};
  for (std::int64_t i = 0; i < whole; i += kLanes) sum += lanes_at(x + i) * lanes_at(w + i);
  float total = sum_of(sum);
  for (std::int64_t i = whole; i < n; ++i) total += x[i] * w[i];
  return total;
}

MLSIM_VECTORISED void add(float a, const float* x, std::int64_t n, float* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] += a * x[i];
}

float loss(float logit, float label) {
  return std::max(logit, 0.0f) - logit * label + std::log1p(std::exp(-std::abs(logit)));
}
float sigmoid(float logit) { return 1 / (1 + std::exp(-logit)); }

// A thread takes so many logits at once: fewer take less than a team's start.
constexpr std::int64_t kGrain = 4096;

}  // namespace

void sum_streams(const float* read, std::int64_t reads, float* written, std::int64_t writes, int threads) {
  if (reads >= writes && writes <= kStretch) {
    std::vector<float> sink(std::max<std::int64_t>(writes, kStretch));
    return sum_columns(read, reads, writes > 0 ? written : sink.data(), writes > 0 ? writes : kStretch, threads);
  }
  share_out(threads, writes, kStretch, [&](Range range) {
    for (std::int64_t begin = range.begin; begin < range.end; begin += kStretch) {
      const std::int64_t n = std::min(kStretch, range.end - begin);
      if (reads >= writes) {
        sum_stretch(read, reads, written, writes, begin, n);
      } else {
        repeat_stretch(read, reads, written, begin, n);
      }
    }
  });
}

void copy_stream(const float* from, std::int64_t elements, float* to, int threads) {
  share_out(threads, elements, kLanes, [&](Range range) {
    std::memcpy(to + range.begin, from + range.begin, std::size_t(range.size()) * sizeof(float));
  });
}

void rewrite(float* data, std::int64_t elements, int threads) {
  share_out(threads, elements, kLanes, [&](Range range) { add_zero(data + range.begin, range.size()); });
}

void gather_rows(TableRows rows, const float* table, float* gathered, int threads) {
  share_out(threads, rows.count, 1, [&](Range range) {
    for (std::int64_t r = range.begin; r < range.end; ++r)
      std::copy_n(table + rows.numbers[r] * rows.width, rows.width, gathered + r * rows.width);
  });
}

void scatter_add_rows(TableRows rows, const float* added, float* table, int threads) {
  run_team(threads, [&](int rank) {
    for (std::int64_t r = 0; r < rows.count; ++r) {
      if (rows.numbers[r] % threads == rank)
        add_to(added + r * rows.width, rows.width, table + rows.numbers[r] * rows.width);
    }
  });
}

LogisticOperands::LogisticOperands(RowShape shape, std::uint64_t seed)
    : features(random_buffer(shape.elements(), seed)),
      labels(shape.rows),
      weights(random_buffer(shape.columns, seed + 1, -0.1f, 0.1f)),
      gradient(shape.columns),
      logits(shape.rows),
      losses(shape.rows),
      logit_gradient(shape.rows) {
  RandomNumbers numbers(seed + 2);
  for (float& label : labels) label = float(numbers.below(2));
}

void sigmoid_loss(const float* logits, const float* labels, std::int64_t count, float* losses, int threads) {
  const auto work = [=](Range range) {
    for (std::int64_t i = range.begin; i < range.end; ++i) losses[i] = loss(logits[i], labels[i]);
  };
  count <= kGrain ? work({0, count}) : share_out(threads, count, kGrain, work);
}

void sigmoid_loss_gradient(const float* logits, const float* labels, std::int64_t count, float* gradient, int threads) {
  const auto work = [=](Range range) {
    for (std::int64_t i = range.begin; i < range.end; ++i)
      gradient[i] = (sigmoid(logits[i]) - labels[i]) / float(count);
  };
  count <= kGrain ? work({0, count}) : share_out(threads, count, kGrain, work);
}

void logistic_step(RowShape shape, float rate, LogisticOperands& o) {
  std::vector<std::vector<float>> parts(shape.threads);
  run_team(shape.threads, [&](int rank) {
    auto& part = parts[rank];
    part.assign(shape.columns, 0);
    const Range range = share(shape.rows, rank, shape.threads);
    for (std::int64_t r = range.begin; r < range.end; ++r) {
      const float* row = o.features.data() + r * shape.columns;
      o.logits[r] = dot(row, o.weights.data(), shape.columns);
      o.losses[r] = loss(o.logits[r], o.labels[r]);
      o.logit_gradient[r] = (sigmoid(o.logits[r]) - o.labels[r]) / float(shape.rows);
      add(o.logit_gradient[r], row, shape.columns, part.data());
    }
  });
  std::fill(o.gradient.begin(), o.gradient.end(), 0.0f);
  for (const auto& part : parts) add(1, part.data(), shape.columns, o.gradient.data());
  add(-rate, o.gradient.data(), shape.columns, o.weights.data());
}

}  // namespace mlsim::kernels
