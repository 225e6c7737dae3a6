#include "kernels/cuda/framework/launch_geometry.hpp"

#include <numeric>

#include "catch.hpp"
#include "core/text/errors.hpp"

namespace mlsim::kernels::cuda {

TEST_CASE("chunks cover every tensor once, in order, each begun at a vector") {
  const std::vector<std::int64_t> sizes{10000, 3, 4096, 4097, 1};
  const ChunkTable table = chunk_table(sizes);
  std::vector<std::int64_t> covered(sizes.size());
  std::int64_t last_end = 0;
  for (const Chunk& chunk : table.chunks) {
    CHECK(chunk.begin % 4 == 0);
    CHECK(chunk.begin >= last_end);
    CHECK((chunk.elements > 0 && chunk.elements <= kChunkElements));
    covered[chunk.tensor] += chunk.elements;
    last_end = chunk.begin + chunk.elements;
  }
  CHECK(covered == sizes);
  CHECK(last_end <= table.elements);
  CHECK(table.first_chunk == std::vector<std::int64_t>{0, 3, 4, 5, 7, 8});
}

TEST_CASE("tensors of a network have the parameters that were asked for, none empty") {
  for (const auto& [parameters, tensors] : {std::pair{25557032, 161}, std::pair{7, 7}, std::pair{100, 3}}) {
    const auto sizes = tensor_sizes(parameters, tensors);
    CHECK(sizes.size() == static_cast<std::size_t>(tensors));
    CHECK(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) == parameters);
    CHECK(*std::min_element(sizes.begin(), sizes.end()) > 0);
  }
}

TEST_CASE("fewer parameters than tensors is an error") {
  CHECK_THROWS_AS(tensor_sizes(3, 4), InputError);
  CHECK_THROWS_AS(tensor_sizes(3, 0), InputError);
}

}  // namespace mlsim::kernels::cuda
