#include "sim/explain/explain.hpp"

#include <cmath>

#include "catch.hpp"
#include "sim/answer/predict.hpp"
#include "sim/options/options_text.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

PredictRequest on(const std::string& topology, const std::string& workload, const Settings& settings = {},
                  double batch = 8) {
  PredictRequest request;
  request.topology = topology;
  request.workload = workload;
  request.batch_per_accelerator = batch;
  request.options = options_of(settings);
  return request;
}

const ResourceElasticity& of(const Explanation& e, const std::string& resource) {
  for (const auto& each : e.elasticities) {
    if (each.resource == resource) return each;
  }
  throw std::runtime_error("no " + resource);
}

Seconds share(const Explanation& e, const std::string& resource) {
  for (const auto& each : e.resources) {
    if (each.resource == resource) return each.time;
  }
  return {};
}

const std::vector<PredictRequest>& explained_systems() {
  static const std::vector<PredictRequest> all{
      on("torus8x8", "resnet50"),
      on("dgx1-v100", "vgg16"),
      on("dgx-a100:nodes=4", "bert-large"),
      on("dgx1-v100:nodes=2", "transformer", {{"overlap", "off"}}, 512),
      on("torus4x4", "resnet50", {{"slow_rank", "3:0.7"}, {"slow_link", "x0y0-x1y0:0.5"}}),
      on("torus8x8", "resnet50", {{"overlap_slowdown", "0.2"}, {"sharded_update", "on"}})};
  return all;
}

}  // namespace

TEST_CASE("the path and the resources both sum to the step that predict gives") {
  for (const auto& request : explained_systems()) {
    INFO(request.topology << " " << request.workload);
    const Explanation e = explain(request);
    CHECK(e.step_time.value == Approx(predict(request).step.time.value).epsilon(1e-9));
    Seconds path, resources;
    for (const auto& segment : e.path) {
      path += segment.time();
      CHECK((segment.compute + segment.communication + segment.host + segment.wait).value ==
            Approx(segment.time().value));
    }
    for (const auto& each : e.resources) resources += each.time;
    CHECK(path.value == Approx(e.step_time.value).epsilon(1e-9));
    CHECK(resources.value == Approx(e.step_time.value).epsilon(1e-9));
    CHECK(e.path.size() <= 20);
  }
}

TEST_CASE("more of a resource never makes the step longer") {
  for (const auto& request : explained_systems()) {
    INFO(request.topology << " " << request.workload);
    for (const auto& each : explain(request).elasticities) {
      INFO(each.resource);
      if (each.resource == "batch") {
        CHECK(each.saved < 0);
        CHECK(each.throughput > 1);
      } else {
        CHECK(each.saved >= -1e-9);
      }
    }
  }
}

TEST_CASE("what a resource contributes to the path is what a little more of it takes off the step") {
  // Two ways: the sum of terms along the path, and the simulation of the changed machine.
  const Explanation e = explain(on("torus8x8", "resnet50", {{"overlap", "off"}}));
  CHECK(-of(e, "ICI bandwidth").elasticity == Approx(share(e, "ICI bandwidth") / e.step_time).epsilon(0.03));
  CHECK(of(e, "link latency").elasticity == Approx(share(e, "ICI latency") / e.step_time).epsilon(0.03).margin(1e-4));
}

TEST_CASE("a step that is all exchange follows the rate of its bottleneck alone") {
  // VGG-16 at one sample on two nodes: 138 M gradients over the network; one exchange after the pass.
  const Explanation e = explain(on("dgx1-v100:nodes=8", "vgg16", {{"overlap", "off"}, {"algorithm", "ring"}}, 1));
  const Prediction p = predict(on("dgx1-v100:nodes=8", "vgg16", {{"overlap", "off"}, {"algorithm", "ring"}}, 1));
  const double exchange = p.step.exposed_communication / p.step.time;
  const double links = of(e, "NIC bandwidth").elasticity + of(e, "NVLink bandwidth").elasticity +
                       of(e, "PCIe bandwidth").elasticity - of(e, "link latency").elasticity;
  CHECK(-links == Approx(exchange).epsilon(0.02));
  // One of them is the bottleneck, the others do not matter.
  int count = 0;
  for (const auto* kind : {"NIC bandwidth", "NVLink bandwidth", "PCIe bandwidth"}) {
    const double elasticity = of(e, kind).elasticity;
    if (elasticity < -0.01) ++count;
  }
  CHECK(count == 1);
}

TEST_CASE("one accelerator has no links to explain") {
  PredictRequest request = on("dgx1-v100", "resnet50");
  request.accelerators = 1;
  const Explanation e = explain(request);
  CHECK(e.elasticities.size() == 3);
  CHECK(of(e, "compute rate").elasticity < 0);
  CHECK(of(e, "batch").throughput >= 1);
  Seconds all;
  for (const auto& each : e.resources) all += each.time;
  CHECK(all.value == Approx(e.step_time.value));
}

TEST_CASE("a slow rank shows as waiting for it") {
  const Explanation even = explain(on("torus4x4", "resnet50"));
  const Explanation slow = explain(on("torus4x4", "resnet50", {{"slow_rank", "3:0.5"}}));
  CHECK(share(even, "waiting for slow ranks") == Seconds(0));
  CHECK(share(slow, "waiting for slow ranks").value == Approx((slow.step_time - even.step_time).value).epsilon(0.05));
}
