// Which server holds which variable.
#include "sim/parameter_server/tensor_placement.hpp"

#include <numeric>

#include "catch.hpp"
#include "core/text/errors.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("tensors go round the servers, to the emptiest, or everywhere") {
  const std::vector<double> tensors{6, 1, 1, 2, 6};
  using Shares = std::vector<double>;
  CHECK(server_shares(tensors, 2, TensorPlacement::round_robin) == Shares{13.0 / 16, 3.0 / 16});
  const Shares greedy = server_shares(tensors, 2, TensorPlacement::greedy);  // 6 | 1 1 2 6
  CHECK(greedy[0] == Approx(6.0 / 16));
  CHECK(greedy[1] == Approx(10.0 / 16));
  for (const double share : server_shares(tensors, 4, TensorPlacement::partitioned)) CHECK(share == Approx(0.25));
  CHECK(imbalance({0.5, 0.25, 0.25, 0}) == Approx(2));
  CHECK(imbalance(server_shares({}, 3, TensorPlacement::greedy)) == 1);
}

TEST_CASE("the first fully connected layer of VGG-16 fills one of four servers wherever it goes") {
  const auto tensors = trained_tensors(load_model("vgg16"));
  CHECK(tensors.size() == 32);  // 13 convolutions and 3 dense layers, weights and biases
  CHECK(std::accumulate(tensors.begin(), tensors.end(), 0.0) == Approx(138357544));
  const double first = 25088.0 * 4096 / 138357544;  // 0.743 of all
  for (const auto placement : {TensorPlacement::round_robin, TensorPlacement::greedy}) {
    const double most = imbalance(server_shares(tensors, 4, placement));
    CHECK(most >= 4 * first);
    CHECK(most < 4 * (first + 0.15));
  }
  CHECK(imbalance(server_shares(tensors, 4, TensorPlacement::greedy)) <
        imbalance(server_shares(tensors, 4, TensorPlacement::round_robin)));
}

TEST_CASE("an unknown placement is named with the nearest") {
  CHECK(parse<TensorPlacement>("greedy") == TensorPlacement::greedy);
  CHECK_THROWS_WITH(parse<TensorPlacement>("gredy"), Catch::Matchers::ContainsSubstring("greedy"));
}
