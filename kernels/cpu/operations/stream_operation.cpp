#include <algorithm>
#include <utility>
#include <vector>

#include "core/text/errors.hpp"
#include "kernels/cpu/framework/buffer.hpp"
#include "kernels/cpu/fused/stream.hpp"
#include "kernels/cpu/fused/update.hpp"
#include "kernels/cpu/kernel_operations.hpp"

namespace mlsim::kernels {
namespace {

// A sum state is `launches` sums of streams one after the other, each of an equal part.
struct SumState {
  explicit SumState(const ElementwiseShape& shape)
      : launches(shape.launches), read(random_buffer(shape.read, 1)), written(shape.written) {}

  void run(int threads) {
    for (std::int64_t l = 0; l < launches; ++l) {
      const auto part = [&](std::int64_t whole) { return std::pair(whole * l / launches, whole * (l + 1) / launches); };
      const auto [from, to] = part(read.size());
      const auto [begin, end] = part(written.size());
      sum_streams(read.data() + from, to - from, written.data() + begin, end - begin, threads);
    }
  }

  double largest_error(int threads) {
    run(threads);
    ErrorMeter meter;
    for (std::int64_t l = 0; l < launches; ++l) compare(l, meter);
    return meter.largest();
  }

  void compare(std::int64_t l, ErrorMeter& meter) const {
    const std::int64_t from = read.size() * l / launches, reads = read.size() * (l + 1) / launches - from;
    const std::int64_t begin = written.size() * l / launches, writes = written.size() * (l + 1) / launches - begin;
    for_checked(writes, reads / std::max<std::int64_t>(writes, 1) + 1, [&](std::int64_t i) {
      double sum = 0;
      for (std::int64_t j = i; j < reads; j += writes) sum += double(read[from + j]);
      if (reads < writes && reads > 0) sum = double(read[from + i % reads]);
      meter.compare(double(written[begin + i]), sum);
    });
  }

  std::int64_t launches;
  Buffer read, written;
};

struct TableState {
  TableState(std::int64_t count, std::int64_t width, std::int64_t table_rows)
      : table(random_buffer(table_rows * width, 1)),
        rows(random_buffer(count * width, 2)),
        numbers(std::size_t(count)) {
    RandomNumbers random(3);
    for (auto& number : numbers) number = std::int32_t(random.below(table_rows));
  }
  Buffer table, rows;
  std::vector<std::int32_t> numbers;
};

// Kernels of each tensor have two reads to a write, as most of them do.
CpuOperation loop_over_tensors(const KernelKey& key, int threads) {
  const auto& shape = shape_of<OptimizerShape>(key);
  const std::int64_t elements = shape.parameters * shape.bytes_per_parameter / 4;
  CpuOperation moves = elementwise_operation(
      {KernelOp::elementwise, Precision::fp32, ElementwiseShape{elements - elements / 3, elements / 3, shape.launches}},
      threads);
  moves.bytes = costs::kernel_work(key).bytes;
  return moves;
}

// Norms alone show in the update that follows.
UpdateRule shown_rule(UpdateRule rule) {
  if (rule == UpdateRule::lars_norms) return UpdateRule::lars;
  return rule == UpdateRule::lamb_norms ? UpdateRule::lamb : rule;
}

}  // namespace

CpuOperation elementwise_operation(const KernelKey& key, int threads) {
  const auto state = std::make_shared<SumState>(shape_of<ElementwiseShape>(key));
  return {[=] { state->run(threads); }, [=] { return state->largest_error(threads); }, costs::kernel_work(key).bytes,
          Flop(0)};
}

CpuOperation gather_operation(const KernelKey& key, int threads) {
  const auto& [count, width, table_rows] = shape_of<LookUpShape>(key);
  if (table_rows < 1) throw InputError("kernel", "\"" + to_text(key) + "\" reads a table without rows");
  const auto s = std::make_shared<TableState>(count, width, table_rows);
  const auto run = [=] { gather_rows({s->numbers.data(), count, width}, s->table.data(), s->rows.data(), threads); };
  const auto error = [=] {
    run();
    ErrorMeter meter;
    for_checked(count * width, 1, [&](std::int64_t i) {
      meter.compare(double(s->rows[i]), double(s->table[s->numbers[i / width] * width + i % width]));
    });
    return meter.largest();
  };
  return {run, error, costs::kernel_work(key).bytes, Flop(0)};
}

// A dense gradient is cleared first. Of a sparse one the rows are the result, each in a place of its own.
CpuOperation scatter_operation(const KernelKey& key, int threads) {
  const auto& [count, width, table_rows] = shape_of<LookUpShape>(key);
  const bool sparse = table_rows == 0;
  const auto s = std::make_shared<TableState>(count, width, sparse ? count : table_rows);
  const auto run = [=] {
    const TableRows rows{s->numbers.data(), count, width};
    if (sparse) return gather_rows(rows, s->rows.data(), s->table.data(), threads);
    sum_streams(nullptr, 0, s->table.data(), s->table.size(), threads);
    scatter_add_rows(rows, s->rows.data(), s->table.data(), threads);
  };
  const auto error = [=] {
    run();
    std::vector<double> sums(s->table.size());
    for (std::int64_t i = 0; i < count * width; ++i) {
      const std::int64_t number = s->numbers[i / width];
      if (sparse) {
        sums[i] = double(s->rows[number * width + i % width]);
      } else {
        sums[number * width + i % width] += double(s->rows[i]);
      }
    }
    ErrorMeter meter;
    for (std::int64_t i = 0; i < s->table.size(); ++i) meter.compare(double(s->table[i]), sums[i]);
    return meter.largest();
  };
  return {run, error, costs::kernel_work(key).bytes, Flop(0)};
}

CpuOperation with_elements_beside(CpuOperation operation, std::int64_t elements, int threads) {
  if (elements <= 0) return operation;
  const auto beside = std::make_shared<SumState>(ElementwiseShape{elements});
  for (auto* run : {&operation.run, &operation.run_fresh}) {
    if (!*run) continue;
    *run = [kernel = std::move(*run), beside, threads] {
      kernel();
      beside->run(threads);
    };
  }
  return operation;
}

CpuOperation optimizer_operation(const KernelKey& key, int threads) {
  const auto& shape = shape_of<OptimizerShape>(key);
  if (shape.rule == UpdateRule::other) return loop_over_tensors(key, threads);
  const auto tensors = std::make_shared<Tensors>(shape.parameters, shape.tensors, 1);
  const UpdateRule rule = shape.rule;
  return {[=] { update_fused(rule, *tensors, threads); },
          [=] {
            const UpdateRule shown = shown_rule(rule);
            return update_error(shown, *tensors, [&] { update_fused(shown, *tensors, threads); });
          },
          costs::kernel_work(key).bytes, Flop(0)};
}

}  // namespace mlsim::kernels
