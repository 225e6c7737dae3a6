#include "workloads/pipeline/partition.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "workloads/model/model_text.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// So many dense layers of one width behind each other; with a loss two more layers.
Model chain(int layers) {
  std::string text;
  for (int i = 0; i < layers; ++i) text += "  - {layer: dense, name: d" + std::to_string(i) + ", outputs: 16}\n";
  return read_between(text);
}

double largest_stage(const std::vector<int>& first, const std::vector<Seconds>& cost) {
  double most = 0;
  for (std::size_t s = 0; s < first.size(); ++s) {
    const int end = s + 1 < first.size() ? first[s + 1] : static_cast<int>(cost.size());
    double sum = 0;
    for (int i = first[s]; i < end; ++i) sum += cost[i].value;
    most = std::max(most, sum);
  }
  return most;
}

// Every way to cut, tried.
double least_largest(const std::vector<Seconds>& cost, std::size_t from, int stages) {
  if (stages == 1)
    return std::accumulate(cost.begin() + static_cast<std::ptrdiff_t>(from), cost.end(), Seconds()).value;
  double best = 1e300, first = 0;
  for (std::size_t end = from + 1; end + static_cast<std::size_t>(stages) - 1 <= cost.size(); ++end) {
    first += cost[end - 1].value;
    best = std::min(best, std::max(first, least_largest(cost, end, stages - 1)));
  }
  return best;
}

}  // namespace

TEST_CASE("pipeline: the largest stage is as small as that of the best of all cuts") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(0.1, 10);
  const Model model = chain(10);
  for (int round = 0; round < 40; ++round) {
    std::vector<Seconds> cost;
    for (std::size_t i = 0; i < model.layers.size(); ++i) cost.emplace_back(uniform(random));
    for (const int stages : {1, 2, 3, 5}) {
      const auto first = balanced_stages(model, cost, stages, false);
      REQUIRE(first.size() == static_cast<std::size_t>(stages));
      REQUIRE(first.front() == 0);
      REQUIRE(std::is_sorted(first.begin(), first.end(), std::less_equal<>()));
      CHECK(largest_stage(first, cost) <= 1.0101 * least_largest(cost, 0, stages));
    }
  }
}

TEST_CASE("pipeline: equal transformer layers are cut between layers, evenly") {
  const Model model = load_model("gpt2");
  const auto cost = layer_costs(model, StepPlan{}, [](const KernelWork& work) { return Seconds(work.flop.value); });
  const auto first = balanced_stages(model, cost, 4, true);
  for (std::size_t s = 1; s < first.size(); ++s) {
    const auto& before = model.layers[static_cast<std::size_t>(first[s]) - 1].name;
    const auto& at = model.layers[first[s]].name;
    CHECK_THAT(at, ContainsSubstring(".block"));
    CHECK(before.substr(0, before.rfind('.')) != at.substr(0, at.rfind('.')));
  }
  // 124 M parameters: 12 layers of 7.1 M and an output product of 38.6 M, so the last stage has fewer layers.
  const double total = std::accumulate(cost.begin(), cost.end(), Seconds()).value;
  CHECK(largest_stage(first, cost) < 0.36 * total);
}

TEST_CASE("pipeline: of cuts that balance alike the one that sends less") {
  const Model model = read_between(
      "  - {layer: convolution, name: a, channels: 64, kernel: 1}\n"
      "  - {layer: convolution, name: b, channels: 64, kernel: 1}\n"
      "  - {layer: convolution, name: c, channels: 2, kernel: 1}\n"
      "  - {layer: convolution, name: d, channels: 64, kernel: 1}\n"
      "  - {layer: flatten, name: flat}\n");
  std::vector<Seconds> cost(model.layers.size());
  cost[0] = cost[3] = Seconds(1);
  const auto crossing = crossing_elements(model);
  CHECK(crossing[0] == 0);
  CHECK(crossing[1] == 64 * 64);
  CHECK(crossing[3] == 2 * 64);
  CHECK(balanced_stages(model, cost, 2, false) == std::vector<int>{0, 3});
}

TEST_CASE("pipeline: a skip connection crosses every cut that it passes") {
  const Model model = read_between(
      "  - {layer: convolution, name: a, channels: 4, kernel: 1}\n"
      "  - {layer: convolution, name: b, channels: 8, kernel: 1}\n"
      "  - {layer: convolution, name: c, channels: 4, kernel: 1}\n"
      "  - {layer: add, name: sum, shortcut: a}\n"
      "  - {layer: flatten, name: flat}\n");
  const auto crossing = crossing_elements(model);
  CHECK(crossing[1] == 4 * 64);
  CHECK(crossing[2] == (4 + 8) * 64);
  CHECK(crossing[3] == (4 + 4) * 64);
  CHECK(crossing[4] == 4 * 64);
}

TEST_CASE("pipeline: more stages than there are kernels to cut between") {
  const Model model = chain(3);  // three products, a classifier and its loss
  const std::vector<Seconds> cost(model.layers.size(), Seconds(1));
  CHECK(balanced_stages(model, cost, 5, true).size() == 5);
  CHECK_THROWS_AS(balanced_stages(model, cost, 6, true), Infeasible);
  CHECK_THROWS_WITH(balanced_stages(model, cost, 6, true), ContainsSubstring("at most 5 stages"));
  CHECK_THROWS_AS(balanced_stages(model, cost, 0, true), InputError);
}

TEST_CASE("pipeline: GPipe's cut goes by forward FLOP") {
  const Model model = read_between(
      "  - {layer: flatten, name: flat}\n"
      "  - {layer: dense, name: d0, outputs: 16}\n"
      "  - {layer: dense, name: d1, outputs: 16}\n"
      "  - {layer: dense, name: d2, outputs: 16}\n"
      "  - {layer: dense, name: d3, outputs: 16}\n");
  // d0 has 3072 of 3872 multiplications, so its own end is beyond a half and it opens the second stage.
  CHECK(flop_stages(model, 2, false) == std::vector<int>{0, 1});
  const auto gpt = flop_stages(load_model("gpt2:vocabulary=64"), 4, true);
  CHECK(gpt.size() == 4);
  CHECK(flop_stages(model, 7, false).size() == 7);
  CHECK_THROWS_AS(flop_stages(model, 8, false), Infeasible);
}
