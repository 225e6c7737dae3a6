#include "sim/step/timeline.hpp"

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "catch.hpp"
#include "sim/answer/predict.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

nlohmann::json events_of(const Timeline& timeline, const std::string& phase) {
  const auto trace = nlohmann::json::parse(trace_json(timeline));
  nlohmann::json chosen = nlohmann::json::array();
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") == phase) chosen.push_back(event);
  }
  return chosen;
}

const Timeline kTimeline{
    {{0, 0, Stream::compute, StepPart::forward, "conv1", Seconds(0), Seconds(0.0015)},
     {1, 0, Stream::communication, StepPart::gradient_exchange, "bucket \"0\"\n", Seconds(0.001), Seconds(0.004)},
     {0, 1, Stream::host, StepPart::input, "decode", Seconds(2), Seconds(2)},
     {2, 0, Stream::exchange, StepPart::forward, "sum of parts", Seconds(0.002), Seconds(0.003)}},
    {512, 1}};

}  // namespace

TEST_CASE("every span is a complete event in microseconds") {
  const auto events = events_of(kTimeline, "X");
  REQUIRE(events.size() == 4);
  CHECK(events[0].at("name") == "conv1");
  CHECK(events[0].at("cat") == "forward");
  CHECK(events[0].at("ts").get<double>() == 0);
  CHECK(events[0].at("dur").get<double>() == Approx(1500));
  CHECK(events[1].at("name") == "bucket \"0\"\n");
  CHECK(events[1].at("ts").get<double>() == Approx(1000));
  CHECK(events[1].at("dur").get<double>() == Approx(3000));
  CHECK(events[1].at("tid") == 1);
  CHECK(events[2].at("pid") == 1);
  CHECK(events[2].at("tid") == 2);
  CHECK(events[2].at("ts").get<double>() == Approx(2e6));
  CHECK(events[2].at("dur").get<double>() == 0);
  CHECK(events[3].at("tid") == 3);
}

TEST_CASE("rank classes are processes named with their size and streams are threads") {
  std::map<int, std::string> processes;
  std::map<int, std::string> threads;
  for (const auto& event : events_of(kTimeline, "M")) {
    const std::string text = event.at("args").contains("name") ? event["args"]["name"] : "";
    if (event.at("name") == "process_name") processes[event.at("pid")] = text;
    if (event.at("name") == "thread_name") threads[event.at("tid")] = text;
  }
  CHECK(processes == std::map<int, std::string>{{0, "class 0: 512 ranks"}, {1, "class 1: 1 rank"}});
  CHECK(threads == std::map<int, std::string>{{0, "compute"}, {1, "communication"}, {2, "host"}, {3, "exchange"}});
}

TEST_CASE("every span of a tensor-parallel step lies on a thread with a name") {
  PredictRequest request;
  request.topology = "dgx-a100:nodes=2";
  request.workload = "gpt2";
  request.parallelism = "tensor=4,data=4";
  request.batch_per_accelerator = 2;
  Timeline timeline;
  predict(request, &timeline);
  std::set<std::pair<int, int>> named;  // process and thread
  for (const auto& event : events_of(timeline, "M")) {
    if (event.at("name") == "thread_name") named.emplace(event.at("pid"), event.at("tid"));
  }
  int of_tensors = 0;
  for (const auto& event : events_of(timeline, "X")) {
    REQUIRE(named.count({event.at("pid"), event.at("tid")}) == 1);
    of_tensors += event.at("tid") == static_cast<int>(Stream::exchange);
  }
  CHECK(of_tensors > 0);
}

TEST_CASE("an empty timeline is an empty trace") {
  CHECK(events_of(Timeline{}, "X").empty());
  CHECK(events_of(Timeline{}, "M").empty());
}
