#include "workloads/lowering/optimizer.hpp"

#include "catch.hpp"
#include "core/errors.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("optimizers read back by their names") {
  for (const auto& word : names<Optimizer>()) CHECK(name(parse<Optimizer>(word)) == word);
  CHECK_THROWS_WITH(parse<Optimizer>("momentun"), ContainsSubstring("did you mean \"momentum\"?"));
}

TEST_CASE("a multi-tensor update moves what its loads and stores add up to") {
  struct Row {
    const char* name;
    double moved, state;
  };
  // 4 bytes times: reads of weight, gradient and states, writes of weight and states; LARS and LAMB norms beside.
  const Row rows[] = {{"sgd", 4 * (2 + 1), 0},      {"momentum", 4 * (3 + 2), 4},
                      {"nesterov", 4 * (3 + 2), 4}, {"lars", 4 * (3 + 2 + 2), 4},
                      {"adam", 4 * (4 + 3), 8},     {"lamb", 4 * (4 + 3 + 1 + 2 + 1), 8},
                      {"adagrad", 4 * (3 + 2), 4},  {"averaged_sgd", 4 * (3 + 2), 4}};
  CHECK(std::size(rows) == names<Optimizer>().size());
  for (const auto& row : rows) {
    INFO(row.name);
    const auto cost = update_cost(parse<Optimizer>(row.name), true);
    CHECK((cost.norms.bytes + cost.update.bytes).value == row.moved);
    CHECK(state_bytes_per_parameter(parse<Optimizer>(row.name)).value == row.state);
    CHECK(cost.update.kernels == 1);
  }
}

TEST_CASE("an update tensor by tensor starts several kernels and moves more") {
  for (const auto& word : names<Optimizer>()) {
    INFO(word);
    const auto one = update_cost(parse<Optimizer>(word), true), many = update_cost(parse<Optimizer>(word), false);
    CHECK(many.update.kernels > 1);
    CHECK(many.norms.bytes + many.update.bytes > one.norms.bytes + one.update.bytes);
    CHECK((many.norms.kernels > 0) == (one.norms.kernels > 0));
  }
  CHECK(update_cost(Optimizer::adam, false).update.kernels == 8);
  CHECK(update_cost(Optimizer::lamb, false).norms.kernels + update_cost(Optimizer::lamb, false).update.kernels == 13);
}
