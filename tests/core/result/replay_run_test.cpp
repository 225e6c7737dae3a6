// Run files, both ways, and what is wrong with bad ones.
#include "core/result/replay_run.hpp"

#include "catch.hpp"

namespace mlsim::test {
namespace {

ReplayRun small_run() {
  ReplayRun run;
  run.order.workload = "logreg-epsilon";
  run.order.update = ReplayUpdate::sharded;
  run.time = "2026-11-23T07:00:00Z";
  run.environment = {{"processor", "a chip"}};
  run.hosts = {"lab0", "lab1"};
  run.step_times = {Seconds(0.5)};
  run.step_time = {Seconds(0.5), Seconds(0.5), Seconds(0.5), 1, 0};
  ReplayNode node;
  node.vertex = 3;
  node.name = "all-reduce gradients 0";
  node.exchange = true;
  node.payload = Bytes(8000);
  node.alone = Seconds(0.1);
  node.in_step = Seconds(0.2);
  run.nodes = {node};
  run.clocks = {{}, {Seconds(0.25), 1e-6, Seconds(1e-5)}};
  run.ranks = {{{{{3, Seconds(0), Seconds(0.2)}}}}, {{{{3, Seconds(0.1), Seconds(0.5)}}}}};
  return run;
}

std::string error_of(const std::string& text) {
  try {
    replay_run_from_json(text, "run.json");
    return {};
  } catch (const InputError& e) {
    return e.what();
  }
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = to_json(small_run());
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a replayed run reads back as it was written") {
  const ReplayRun run = small_run(), again = replay_run_from_json(to_json(run), "run.json");
  CHECK(again.order == run.order);
  CHECK(again.hosts == run.hosts);
  CHECK(again.clocks[1].lead == Seconds(0.25));
  CHECK(again.ranks[1].steps[0][0].end == Seconds(0.5));
  CHECK(to_json(again) == to_json(run));
  CHECK(to_json(replay_run_from_json(to_line(run), "line")) == to_json(run));
  CHECK(replay_order_from_line(to_line(run.order), "order") == run.order);
}

TEST_CASE("a replayed run whose parts do not belong together is refused with the place") {
  using Catch::Matchers::ContainsSubstring;
  ReplayRun run = small_run();
  run.ranks.pop_back();
  CHECK_THAT(error_of(to_json(run)), ContainsSubstring("run.json: has 2 hosts, 1 ranks and 2 clocks"));
  run = small_run();
  run.nodes.push_back(run.nodes[0]);
  CHECK_THAT(error_of(to_json(run)), ContainsSubstring("nodes has node 3 twice"));
  run = small_run();
  run.ranks[1].steps[0][0].end = Seconds(0.05);
  CHECK_THAT(error_of(to_json(run)), ContainsSubstring("ranks[1] ends node 3 before it begins"));
  run = small_run();
  run.ranks[0].steps[0][0].vertex = 4;
  CHECK_THAT(error_of(to_json(run)), ContainsSubstring("ranks[0] runs node 4, which nodes does not have"));
  run = small_run();
  run.ranks[0].steps.clear();
  CHECK_THAT(error_of(to_json(run)), ContainsSubstring("ranks[0] has 0 steps and step_times_s 1"));
  CHECK_THAT(error_of(changed("\"sharded\"", "\"shared\"")), ContainsSubstring("sharded"));
  CHECK_THAT(error_of(changed("\"replay_schema\": 1", "\"replay_schema\": 2")), ContainsSubstring("replay_schema"));
  CHECK_THAT(error_of(to_json(small_run()).substr(0, 200)), ContainsSubstring("run.json"));
}

}  // namespace mlsim::test
