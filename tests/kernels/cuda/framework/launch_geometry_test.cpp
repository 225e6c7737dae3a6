#include "kernels/cuda/framework/launch_geometry.hpp"

#include <vector>

#include "catch.hpp"
#include "kernels/cuda/framework/flat_thread.hpp"
#include "kernels/cuda/framework/row_thread.hpp"

namespace mlsim::kernels::cuda {
namespace {

// Counts how often each element is taken, and that vectors begin at multiples of their width.
struct Counting {
  int* count;
  template <int W>
  void apply(std::int64_t first) const {
    if (first % W != 0) count[0] += 1000;
    for (int i = 0; i < W; ++i) ++count[first + i];
  }
};

struct CountingRows {
  static constexpr bool kReduces = true, kCarries = false;
  template <int W>
  struct Held {};
  template <int W>
  using Carry = NoCarry<W>;
  struct Total {
    std::int64_t elements = 0;
    void merge(const Total& other) { elements += other.elements; }
  };
  std::int64_t columns;
  int* count;
  RowSpan span(std::int64_t row) const { return {row * columns, columns}; }
  template <int W>
  Held<W> load(std::int64_t, std::int64_t) const {
    return {};
  }
  template <int W>
  void add(Total& sum, const Held<W>&, std::int64_t, std::int64_t) const {
    sum.elements += W;
  }
  void total(std::int64_t, const Total& sum) const { REQUIRE(sum.elements == columns); }
  template <int W>
  void finish(std::int64_t row, std::int64_t index, const Held<W>&, const Total&, NoCarry<W>&) const {
    for (int i = 0; i < W; ++i) ++count[row * columns + index + i];
  }
};

template <int W, int kVectors>
void take_row(const CountingRows& op, int lanes) {
  std::vector<RowThread<CountingRows, W, kVectors>> threads;
  for (int lane = 0; lane < lanes; ++lane) threads.emplace_back(lane, lanes);
  CountingRows::Total sum;
  for (auto& thread : threads) sum.merge(thread.start(op, 0));
  for (auto& thread : threads) thread.finish(op, 0, sum);
}

bool is_each_once(const std::vector<int>& count) { return count == std::vector<int>(count.size(), 1); }

}  // namespace

TEST_CASE("a flat launch takes every element once, whatever the tail and the number of threads") {
  for (const int elements : {0, 1, 7, 8, 9, 255, 256, 1000, 1001}) {
    for (const int threads : {1, 3, 32, 2000}) {
      std::vector<int> count(elements);
      for (int t = 0; t < threads; ++t) flat_thread<8>(Counting{count.data()}, elements, t, threads);
      REQUIRE(is_each_once(count));
    }
  }
}

TEST_CASE("a row is taken once by the threads of its shape, kept or read again") {
  for (const std::int64_t columns : {1, 3, 8, 9, 100, 255, 256, 1000, 4096, 4099, 16384, 30522, 70000}) {
    const RowGeometry shape = row_shape(columns, 8);
    std::vector<int> count(columns);
    const CountingRows op{columns, count.data()};
    if (shape.vectors == 0) take_row<8, 0>(op, shape.threads_per_row);
    if (shape.vectors == 1) take_row<8, 1>(op, shape.threads_per_row);
    if (shape.vectors == 4) take_row<8, 4>(op, shape.threads_per_row);
    REQUIRE(is_each_once(count));
  }
}

TEST_CASE("threads of a row are a power of two within a warp or whole warps, and a block is whole warps") {
  for (std::int64_t columns = 1; columns < 40000; columns += 37) {
    for (const int width : {1, 4, 8}) {
      const RowGeometry shape = row_shape(columns, width);
      const int lanes = shape.threads_per_row;
      REQUIRE((lanes <= kWarp ? (lanes & (lanes - 1)) == 0 : lanes % kWarp == 0 && shape.rows_per_block == 1));
      REQUIRE((shape.threads() % kWarp == 0 && shape.threads() <= kRowThreads));
      if (shape.vectors > 0) REQUIRE(std::int64_t{lanes} * width * shape.vectors >= columns);
    }
  }
}

TEST_CASE("short rows share a block, long ones have registers enough or are read again") {
  CHECK(row_shape(64, 8).threads_per_row == 8);
  CHECK(row_shape(64, 8).rows_per_block == 32);
  CHECK(row_shape(1024, 8).threads_per_row == 128);
  CHECK(row_shape(1024, 8).vectors == 1);
  CHECK(row_shape(16384, 8).vectors == 4);
  CHECK(row_shape(16385, 1).vectors == 0);
}

TEST_CASE("a grid is as large as the work or the device, and never empty") {
  CHECK(grid_blocks(10, 100) == 10);
  CHECK(grid_blocks(1000, 100) == 100);
  CHECK(grid_blocks(0, 100) == 1);
}

TEST_CASE("rows that are no multiple of a vector are taken element by element") {
  CHECK(vector_width(8, 1024) == 8);
  CHECK(vector_width(8, 1001) == 1);
}

TEST_CASE("rows of a batch normalisation split into images and positions") {
  CHECK(batch_split(256 * 49).images == 256);
  CHECK(batch_split(256 * 49).positions == 49);
  CHECK(batch_split(32 * 49).images == 32);
  CHECK(batch_split(7).images == 1);
}

}  // namespace mlsim::kernels::cuda
