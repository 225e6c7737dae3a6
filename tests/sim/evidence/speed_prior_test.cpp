#include "sim/evidence/speed_prior.hpp"

#include <cmath>

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::sim;
using namespace mlsim::test;

namespace {

ParsedAnchor run(const std::string& topology, const std::string& workload, const std::string& stack, double speed) {
  ParsedAnchor anchor;
  anchor.topology = topology;
  anchor.workload = workload;
  anchor.precision = Precision::fp16;
  anchor.options.software.stack = stack;
  anchor.kernel_speed = speed;
  return anchor;
}

// Speeds that are products of a chip's, a network's and a code base's share: what the model says they are.
std::vector<ParsedAnchor> product_runs() {
  std::vector<ParsedAnchor> runs;
  for (const auto& [topology, chip] : {std::pair{"dgx-a100", 1.2}, std::pair{"dgx1-v100", 0.8}})
    for (const auto& [workload, network] : {std::pair{"resnet50", 1.0}, std::pair{"vgg16", 1.5}})
      for (const auto& [stack, code] : {std::pair{"one-2020", 1.25}, std::pair{"two-2020", 0.8}})
        for (int copy = 0; copy < 40; ++copy) runs.push_back(run(topology, workload, stack, chip * network * code));
  return runs;
}

SpeedTraits traits(const char* chip, const char* workload, const char* stack) {
  RunTraits asked = TraitsReader().traits(run("", workload, stack, 1));
  asked.chip = chip_traits(chip);
  return speed_traits(asked);
}

double speed(const SpeedPrior& prior, const char* chip, const char* workload, const char* stack) {
  return prior.speed(traits(chip, workload, stack));
}

}  // namespace

TEST_CASE("of many runs the prior finds the shares that their speeds are made of") {
  const SpeedPrior prior(fit_speeds(product_runs(), SpeedPopulation::others));
  CHECK(prior.runs() == 320);
  CHECK(speed(prior, "a100-sxm4-40gb", "vgg16", "one-2021") == Approx(1.2 * 1.5 * 1.25).epsilon(0.03));
  CHECK(speed(prior, "v100-sxm2-16gb", "resnet50", "two-2021") == Approx(0.8 * 0.8).epsilon(0.03));
  const auto one = traits("a100-sxm4-40gb", "vgg16", "one-2020");
  const auto two = traits("a100-sxm4-40gb", "vgg16", "two-2020");
  CHECK(prior.software_ratio(two, one) == Approx(0.8 / 1.25).epsilon(0.03));
  CHECK(prior.software_ratio(one, one) == 1);
}

TEST_CASE("what nobody ran counts as an average one") {
  const SpeedPrior prior(fit_speeds(product_runs(), SpeedPopulation::others));
  const double average = std::sqrt(1.2 * 0.8) * std::sqrt(1.5);  // of chips and networks; code bases cancel
  CHECK(speed(prior, "h100-sxm5", "alexnet", "") == Approx(average).epsilon(0.03));
}

TEST_CASE("software that is not told counts as what ran the network elsewhere") {
  std::vector<ParsedAnchor> runs = product_runs();
  for (int copy = 0; copy < 40; ++copy) runs.push_back(run("dgx1-v100", "alexnet", "two-2020", 0.8 * 0.8));
  const SpeedPrior prior(fit_speeds(runs, SpeedPopulation::others));
  CHECK(speed(prior, "a100-sxm4-40gb", "alexnet", "") ==
        Approx(speed(prior, "a100-sxm4-40gb", "alexnet", "two-2020")).epsilon(0.001));
  CHECK(speed(prior, "a100-sxm4-40gb", "vgg16", "") == Approx(1.2 * 1.5).epsilon(0.03));  // one and two, as often
}

TEST_CASE("a network that nobody ran counts as those that the chip ran") {
  std::vector<ParsedAnchor> runs = product_runs();
  for (int copy = 0; copy < 400; ++copy) runs.push_back(run("dgx-h100", "vgg16", "one-2020", 2 * 1.5 * 1.25));
  const SpeedPrior prior(fit_speeds(runs, SpeedPopulation::others));
  const double family = 1.1;  // a part of the speed is the family's, which the other network does not share
  CHECK(speed(prior, "h100-sxm5", "alexnet", "one-2020") == Approx(2 * 1.5 * 1.25 / family).epsilon(0.05));
}

TEST_CASE(
    "a network that nobody ran counts as its family on the chip, and no further network as one of another family") {
  std::vector<ParsedAnchor> runs = product_runs();
  for (int copy = 0; copy < 400; ++copy) {
    runs.push_back(run("dgx-h100", "vgg16", "one-2020", 4));
    runs.push_back(run("dgx-h100", "resnet50", "one-2020", 1));
  }
  const SpeedPrior prior(fit_speeds(runs, SpeedPopulation::others));
  CHECK(speed(prior, "h100-sxm5", "vgg19", "one-2020") == Approx(4).epsilon(0.05));
  CHECK(speed(prior, "h100-sxm5", "resnet101", "one-2020") == Approx(1).epsilon(0.05));
  CHECK(speed(prior, "h100-sxm5", "alexnet", "one-2020") == Approx(2).epsilon(0.1));  // their mean
}

TEST_CASE("a network's family is what its name begins with") {
  const auto family = [](const char* network) { return traits("a100-sxm4-40gb", network, "x").family(); };
  CHECK(family("resnet50") == "resnet");
  CHECK(family("efficientnet-b0") == "efficientnet");
  CHECK(family("mask-rcnn") == "mask");
}

TEST_CASE("runs past what kernels reach say nothing of others' speed") {
  std::vector<ParsedAnchor> runs = product_runs();
  for (int copy = 0; copy < 40; ++copy) runs.push_back(run("dgx-a100", "vgg16", "one-2020", 1000));
  CHECK(SpeedPrior(fit_speeds(runs, SpeedPopulation::others)).runs() == 320);
}

TEST_CASE("a network that is slow in 16 bits is slow in them on other chips, too") {
  std::vector<ParsedAnchor> runs = product_runs();
  for (int copy = 0; copy < 40; ++copy) {
    runs.push_back(run("dgx-a100", "alexnet", "one-2020", 0.5));
    runs.push_back(run("dgx-a100", "alexnet", "one-2020", 1));
    runs.back().precision = Precision::fp32;
  }
  const SpeedPrior prior(fit_speeds(runs, SpeedPopulation::others));
  const SpeedTraits narrow = traits("v100-sxm2-16gb", "alexnet", "one-2020");
  SpeedTraits wide = narrow;
  wide.format = "fp32";
  CHECK(prior.speed(narrow) < 0.9 * prior.speed(wide));
}

TEST_CASE("runs at the speed of their curve leave it, and without runs there is no prior") {
  const SpeedPrior prior(fit_speeds({run("dgx-a100", "resnet50", "one", 1), run("dgx1-v100", "resnet50", "one", 1)},
                                    SpeedPopulation::others));
  CHECK(speed(prior, "a100-sxm4-40gb", "resnet50", "one") == 1);
  const SpeedPrior none(fit_speeds(product_runs(), SpeedPopulation::tpus));
  CHECK(none.empty());
}

TEST_CASE("graph networks, whose work is estimated, say nothing of others and what they reach to each other") {
  std::vector<ParsedAnchor> runs = product_runs();
  for (int copy = 0; copy < 40; ++copy) runs.push_back(run("dgx-a100", "rgat", "one-2020", 9));
  const SpeedPrior prior(fit_speeds(runs, SpeedPopulation::others)),
      without(fit_speeds(product_runs(), SpeedPopulation::others));
  CHECK(prior.runs() == without.runs());
  CHECK(speed(prior, "a100-sxm4-40gb", "vgg16", "one-2020") == speed(without, "a100-sxm4-40gb", "vgg16", "one-2020"));
  const SpeedPrior graphs(fit_speeds(runs, SpeedPopulation::graph_networks));
  CHECK(graphs.runs() == 40);
  CHECK(speed(graphs, "h100-sxm5", "rgat", "one-2020") == Approx(9));
}

TEST_CASE("a network's sort is what it computes: language models have sorts of their own, sound is not an image") {
  const auto sort = [](const char* network) { return traits("a100-sxm4-40gb", network, "x").sort; };
  for (const char* network : {"bert-large:sequence=128", "bart-large"}) {
    INFO(network);
    CHECK(sort(network) == "transformer");
  }
  CHECK(sort("llama-3-8b") == "language-model");
  CHECK(sort("mixtral-8x7b") == "language-mixture");
  CHECK(sort("llama2-70b-lora") == "language-adapters");
  CHECK(sort("jasper") == "speech");
  CHECK(sort("ssd300-resnet50") == "detection");
  CHECK(sort("dlrm-dcnv2") == "recommender");
  CHECK(sort("minigo") == "game");
  CHECK(sort("resnet50") == "image");
}
