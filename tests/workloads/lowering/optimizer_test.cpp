#include "workloads/lowering/optimizer.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"

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

TEST_CASE("an update's kernel moves its bytes per parameter, and says so in its key") {
  const auto work = update_work(update_cost(Optimizer::momentum, true).update, 1000, 7);
  CHECK(work.bytes.value == 20000);
  CHECK(to_text(work.key) == "optimizer fp32 1000 7 20");
  CHECK(to_text(update_work(update_cost(Optimizer::adam, false).update, 1000, 7, 56).key) ==
        "optimizer fp32 1000 7 80 56");
}

TEST_CASE("an update's key names its rule where others move the same bytes") {
  const auto text = [](const UpdatePass& pass) { return to_text(update_work(pass, 1000, 7).key); };
  for (const auto& word : {"nesterov", "averaged_sgd", "adagrad"}) {
    CHECK(text(update_cost(parse<Optimizer>(word), true).update) == "optimizer fp32 1000 7 20 " + std::string(word));
  }
  // LARS's last pass is momentum's with a rate, LAMB's is SGD's on its step.
  CHECK(text(update_cost(Optimizer::lars, true).norms) == "optimizer fp32 1000 7 8");
  CHECK(text(update_cost(Optimizer::lars, true).update) == "optimizer fp32 1000 7 20");
  CHECK(text(update_cost(Optimizer::lamb, true).update) == "optimizer fp32 1000 7 12");
  CHECK(text(row_update(Optimizer::lamb)) == "optimizer fp32 1000 7 44");
  CHECK(text(row_update(Optimizer::lars)) == "optimizer fp32 1000 7 28 lars");
}
