#include "sim/job/job_clock.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/job/energy.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("Llama 3's run of 54 days gets on for more than 90 % of its time, as its paper says") {
  JobClockInputs in;
  in.accelerators = 16384;
  in.hosts = 2048;
  in.language_model = true;
  in.checkpoint_size = Bytes(405e9 * 12);
  const auto now = goodput(in);
  REQUIRE(now);
  CHECK(now->share > 0.90);
  CHECK(now->share < 0.95);  // it has all causes but the 47 planned interruptions
  CHECK(now->between_failures.value == Approx(54 * 86400 / 419.0).epsilon(1e-6));
  CHECK(now->checkpoint.value == Approx(405e9 * 12 / 2e12));
  // Young's interval is sqrt(2 C M), of which Daly's is the refinement.
  const double young = std::sqrt(2 * now->checkpoint.value * now->between_failures.value);
  CHECK(now->interval.value == Approx(young).epsilon(0.02));
  in.failures.spares = 20;  // 18 nodes are in repair on average
  CHECK(goodput(in)->share < now->share - 0.05);
  in.failures.spares = 40;
  CHECK(goodput(in)->share == Approx(now->share).epsilon(1e-3));
  in.failures.checkpoint = CheckpointRule::off;
  CHECK_FALSE(goodput(in));
}

namespace {

constexpr double kEpoch = 1281167;
constexpr double kValidation = 50000;

JobClockInputs resnet(const std::string& recipe, double batch, double epochs, double throughput,
                      const std::string& family, int accelerators) {
  JobClockInputs in;
  in.benchmark = "resnet";
  in.target.recipe = recipe;
  in.target.epochs = epochs;
  in.target.samples = epochs * kEpoch;
  in.global_batch = batch;
  in.throughput = PerSecond(throughput);
  in.validation_samples = kValidation;
  in.family = family;
  in.accelerators = accelerators;
  return in;
}

// ResNet-50 rows of MLPerf Training v0.5-v1.0, closed division, whose logged epoch times agree with their average rate:
// epochs to target, steady images/s, and minutes as the mean of all runs, ((runs - 2) * score + best + worst) / runs
// (github.com/mlcommons/training_results_v0.5@c71f2e7c4b11, _v0.6@f312518c2d61, _v0.7@0a8a85a209c8,
// _v1.0@50619b5df63f).
struct Row {
  const char* name;
  const char* family;
  int accelerators;
  const char* recipe;
  double batch, epochs, throughput, minutes;
};
const std::vector<Row> kRows{
    {"v0.5 skx_8180_2s_1x", "other", 0, "v0.5-sgd", 32, 63.4, 133.72, 10367.2567},
    {"v0.5 skx_8180_2s_8x", "other", 0, "v0.5-sgd", 32, 61, 1014.38, 1312.8734},
    {"v0.5 dgx1_multi_ngc18.11_mxnet", "gpu", 640, "v0.5-sgd", 16640, 82, 298877.2, 6.2428},
    {"v0.5 dgx1_ngc18.11_mxnet", "gpu", 8, "v0.5-sgd", 1664, 63, 10149.23, 134.5018},
    {"v0.5 dgx2_ngc18.11_mxnet", "gpu", 16, "v0.5-sgd", 4096, 64, 19279.12, 74.0036},
    {"v0.6 tpu-v3-1024", "tpu", 512, "v0.6-lars", 32768, 76, 743438.17, 2.2890},
    {"v0.6 tpu-v3-128", "tpu", 64, "v0.6-lars", 16384, 64.8, 125085.87, 11.3573},
    {"v0.6 tpu-v3-2048", "tpu", 1024, "v0.6-lars", 32768, 72.8, 1299358.01, 1.2957},
    {"v0.6 tpu-v3-256", "tpu", 128, "v0.6-lars", 32768, 74.4, 240857.08, 6.9756},
    {"v0.6 tpu-v3-32", "tpu", 16, "v0.6-lars", 4096, 60.8, 31225.2, 42.7177},
    {"v0.6 dgx1_ngc19.05_mxnet", "gpu", 8, "v0.6-lars", 1664, 59.2, 11220.39, 113.8756},
    {"v0.6 dgx2_ngc19.05_mxnet", "gpu", 16, "v0.6-lars", 3328, 60, 22525.62, 57.9084},
    {"v0.6 dgx2h_ngc19.05_mxnet", "gpu", 16, "v0.6-lars", 3328, 60.8, 24642.09, 53.4302},
    {"v0.7 v100-1280", "gpu", 1280, "v0.7-lars-mxnet", 57600, 71, 966189.29, 1.6907},
    {"v0.7 v100-256", "gpu", 256, "v0.7-lars-mxnet", 33280, 56, 312708.57, 3.9475},
    {"v0.7 v100-512", "gpu", 512, "v0.7-lars-mxnet", 33280, 56, 531384.07, 2.3519},
    {"v0.7 2xC4140", "gpu", 8, "v0.7-lars-mxnet", 1664, 40, 11239.69, 76.5890},
    {"v0.7 4xC4140", "gpu", 16, "v0.7-lars-mxnet", 3328, 41, 22156.32, 39.8775},
    {"v0.7 C4140", "gpu", 4, "v0.7-lars-mxnet", 832, 40.2, 5589.93, 155.0383},
    {"v0.7 DSS8440", "gpu", 8, "v0.7-lars-mxnet", 1664, 35, 10962.47, 69.1598},
    {"v0.7 gx_V100x8_ngc20.06_mxnet", "gpu", 8, "v0.7-lars-mxnet", 1664, 35, 10938.79, 68.8126},
    {"v0.7 gpu-v100-8-TF2.0", "gpu", 8, "v0.7-lars-mxnet", 2496, 39.8, 9620.88, 90.2187},
    {"v0.7 tpu-v3-32-TF2.0", "tpu", 16, "v0.7-lars-tf", 4096, 38, 32107.2, 28.6986},
    {"v0.7 tpu-v4-128-TF", "tpu", 64, "v0.7-lars-tf", 8192, 42.8, 209642.46, 4.5767},
    {"v0.7 tpu-v4-16-TF", "tpu", 8, "v0.7-lars-tf", 2048, 38, 27824.54, 30.7720},
    {"v0.7 nf5488_mxnet", "gpu", 8, "v0.7-lars-mxnet", 3264, 35, 22671.31, 33.3779},
    {"v0.7 1-node-8s-cpx-1-tensorflow", "other", 0, "v0.7-lars-tf", 2048, 39, 781.66, 1146.0802},
    {"v0.7 1-node-8s-cpx-2-mxnet", "other", 0, "v0.7-lars-tf", 4096, 40, 776.54, 1104.5516},
    {"v0.7 dgx1_ngc20.06_mxnet", "gpu", 8, "v0.7-lars-mxnet", 1664, 36, 11189.31, 69.7894},
    {"v0.7 dgx2h_n32_ngc20.06_mxnet", "gpu", 512, "v0.7-lars-mxnet", 33280, 56, 630495.57, 2.0043},
    {"v0.7 dgx2h_ngc20.06_mxnet", "gpu", 16, "v0.7-lars-mxnet", 3328, 41, 25276.05, 35.2475},
    {"v0.7 dgxa100_n2_ngc20.06_mxnet", "gpu", 16, "v0.7-lars-mxnet", 3264, 41, 37435.3, 23.7499},
    {"v0.7 dgxa100_ngc20.06_mxnet", "gpu", 8, "v0.7-lars-mxnet", 3264, 41, 22525.22, 39.8490},
    {"v0.7 modelarts_512_mindspore_close", "other", 512, "v0.7-lars-tf", 32768, 64, 862622.54, 1.5902},
    {"v1.0 2xDSS8440x8A100-PCIE-40GB", "gpu", 16, "v0.7-lars-mxnet", 3264, 35, 35797.29, 20.9806},
    {"v1.0 3xDSS8440x8A100-PCIE-40GB", "gpu", 24, "v0.7-lars-mxnet", 6144, 40, 55437.78, 15.5071},
    {"v1.0 XE8545x4A100-SXM-80GB", "gpu", 4, "v0.7-lars-mxnet", 1632, 35, 13567.59, 55.4212},
    {"v1.0 gx_A100x4_mxnet_NGC_21.05", "gpu", 4, "v0.7-lars-mxnet", 1632, 35, 10463.25, 73.5062},
    {"v1.0 G492-ZD2_A100_20210517.mxnet", "gpu", 8, "v0.7-lars-mxnet", 3264, 35, 25883.21, 29.1754},
    {"v1.0 tpu-v4-6912-TF", "tpu", 3456, "v0.7-lars-tf", 55296, 78.4, 8083072.56, 0.2286},
    {"v1.0 ipu-pod16-TF1", "other", 16, "v0.7-lars-tf", 1920, 44, 27521.79, 37.1213},
    {"v1.0 SYS-420GH-TNGR", "other", 8, "v0.7-lars-tf", 2048, 38, 13161.88, 62.5316},
    {"v1.0 nf5488a5_mxnet", "gpu", 8, "v0.7-lars-mxnet", 3264, 35, 27402.77, 27.4804},
    {"v1.0 nf5488m6_mxnet", "gpu", 8, "v0.7-lars-mxnet", 3264, 35, 24737.97, 30.3684},
    {"v1.0 1-node-8s-8380H-tensorflow", "other", 0, "v0.7-lars-tf", 3264, 35, 819.16, 943.9255},
    {"v1.0 8-nodes-64s-8376H-tensorflow", "other", 0, "v0.7-lars-tf", 8192, 47, 4834.38, 213.9283},
    {"v1.0 SD650-N_V2_A100_SXM_40GB_400W", "gpu", 4, "v0.7-lars-mxnet", 1632, 35, 12252.06, 61.4761},
    {"v1.0 SD650-N_V2_A100_SXM_80GB_500W", "gpu", 4, "v0.7-lars-mxnet", 1632, 35, 13554.96, 55.6219},
    {"v1.0 SR670_A100_PCIe_40GB_250W", "gpu", 4, "v0.7-lars-mxnet", 1632, 35, 10465.55, 71.9617},
    {"v1.0 dgxa100_n8_ngc21.05_mxnet", "gpu", 64, "v0.7-lars-mxnet", 13056, 45, 198692.15, 4.9094},
    {"v1.0 dgxa100_ngc21.05_mxnet", "gpu", 8, "v0.7-lars-mxnet", 3264, 35, 26675.25, 28.7307},
    {"v1.0 CloudBrainII_1024_mindspore_close", "other", 1024, "v0.7-lars-tf", 32768, 56, 1843405.76, 0.6460},
    {"v1.0 CloudBrainII_256_mindspore_close", "other", 256, "v0.7-lars-tf", 8192, 42, 506590.35, 1.7522},
    {"v1.0 AS-2124GQ-NART_mxnet", "gpu", 4, "v0.7-lars-mxnet", 1632, 35, 12242.28, 61.5731},
    {"v1.0 as-2124gq-nart+", "gpu", 4, "v0.7-lars-mxnet", 2064, 35, 12952.14, 58.9513},
    {"v1.0 as-4142gs-tnr", "gpu", 8, "v0.7-lars-mxnet", 3264, 35, 20822.67, 36.2026},
    {"v1.0 X640 G40_A100_PCIe_NVBridge_mxnet", "gpu", 10, "v0.7-lars-mxnet", 4080, 35, 27364.66, 27.5629},
    {"v1.0 X660 G45_SXM4-80G-BPS_mxnet", "gpu", 8, "v0.7-lars-mxnet", 3840, 41.4, 25655.41, 34.6917},
};

// NVIDIA's rows of v1.1 to v4.0, where evaluation runs beside training (_v1.1@ebe92f81f7a6, _v2.0@8437fbb78349,
// _v2.1@158189d4cbfb, _v3.0@63e326c400f5, _v3.1@d06288b2bd67, _v4.0@6fe954378efe).
const std::vector<Row> kLaterRows{
    {"v1.1 dgxa100_n128_ngc21.09_mxnet", "gpu", 1024, "v1.1-lars-mxnet", 35840, 59.2, 2308409.01, 0.5693},
    {"v1.1 dgxa100_n8_ngc21.09_mxnet", "gpu", 64, "v1.1-lars-mxnet", 3264, 35, 166814.28, 4.5329},
    {"v1.1 dgxa100_ngc21.09_mxnet", "gpu", 8, "v1.1-lars-mxnet", 3264, 35, 26345.47, 29.0997},
    {"v2.0 dgxa100_n128_ngc22.04_mxnet", "gpu", 1024, "v1.1-lars-mxnet", 35840, 58.4, 2363776.75, 0.5530},
    {"v2.0 dgxa100_n8_ngc22.04_mxnet", "gpu", 64, "v1.1-lars-mxnet", 3264, 35, 167670.07, 4.5046},
    {"v2.0 dgxa100_ngc22.04_mxnet", "gpu", 8, "v1.1-lars-mxnet", 3264, 35, 27187.14, 28.6429},
    {"v2.1 dgxh100_n4_preview", "gpu", 32, "v1.1-lars-mxnet", 3200, 35, 168997.1, 4.5007},
    {"v2.1 dgxh100_preview", "gpu", 8, "v1.1-lars-mxnet", 3200, 35, 52439.15, 14.7232},
    {"v3.0 dgxh100_n64_ngc23.04_mxnet", "gpu", 512, "v1.1-lars-mxnet", 20480, 50, 2245691.5, 0.5113},
    {"v3.0 dgxh100_n96_ngc23.04_mxnet", "gpu", 768, "v1.1-lars-mxnet", 32256, 56, 3416445.33, 0.3694},
    {"v3.0 dgxh100_ngc23.04_mxnet", "gpu", 8, "v1.1-lars-mxnet", 3200, 35, 56068.58, 13.5689},
    {"v3.0 coreweave_hgxh100_n448_ngc23.04_mxnet", "gpu", 3584, "v1.1-lars-mxnet", 57344, 77, 10087929.13, 0.1830},
    {"v3.1 eos_n8_ngc23.09_mxnet", "gpu", 64, "v1.1-lars-mxnet", 3200, 35, 318223.3, 2.4996},
    {"v4.0 eos_n316_ngc24.04_mxnet", "gpu", 2528, "v1.1-lars-mxnet", 40448, 68.4, 6887994.62, 0.2270},
    {"v4.0 eos_n8_ngc24.04_mxnet", "gpu", 64, "v1.1-lars-mxnet", 3200, 35, 314127.01, 2.5116},
    {"v4.0 eos_ngc24.04_mxnet", "gpu", 8, "v1.1-lars-mxnet", 3200, 35, 57290.87, 13.2965},
    {"v4.0 h200_ngc24.04_mxnet", "gpu", 8, "v1.1-lars-mxnet", 3200, 35, 63609.9, 12.0584},
};

double clock_error(const Row& row) {
  const auto job = job_clock(resnet(row.recipe, row.batch, row.epochs, row.throughput, row.family,
                                    std::max(1, row.accelerators)));  // logs of CPUs count none
  return time_to_target(job).value / 60 / row.minutes - 1;
}

struct Quantiles {
  std::size_t count;
  double median, p90;
};
Quantiles clock_errors(const std::string& family) {
  std::vector<double> errors;
  for (const Row& row : kRows)
    if (row.family == family) errors.push_back(std::abs(clock_error(row)));
  std::sort(errors.begin(), errors.end());
  return {errors.size(), errors[errors.size() / 2], errors[(errors.size() - 1) * 9 / 10]};
}

}  // namespace

TEST_CASE("the clock adds evaluations of a fixed part and a pass over the validation images to training") {
  // 56 epochs at 500 000 images/s: 143.491 s; round(56/4) = 14 evaluations of .35 + 1.04 * .1 s.
  const auto job = job_clock(resnet("v0.7-lars-mxnet", 33280, 56, 500000, "gpu", 512));
  CHECK(job.train.value == Approx(56 * kEpoch / 500000));
  CHECK(job.evaluations == 14);
  CHECK(job.startup.value == 4);  // known of large systems and inside the pauses
  CHECK(job.evaluation.value == Approx(14 * 0.454 - 4));
  CHECK(time_to_target(job).value == Approx(143.490704 + 6.356));
  CHECK(job.steps == std::ceil(56 * kEpoch / 33280));
  CHECK(job.checkpoint.value == 0);
  CHECK(job.restart.value == 0);
}

TEST_CASE("published GPU minutes follow from published throughput and epochs within 1 % in the median") {
  const auto errors = clock_errors("gpu");
  INFO("rows " << errors.count << ", median " << errors.median << ", P90 " << errors.p90);
  CHECK(errors.count == 38);
  CHECK(errors.median < 0.005);
  CHECK(errors.p90 < 0.019);
}

TEST_CASE("published TPU minutes follow from published throughput and epochs within 1 % in the median") {
  const auto errors = clock_errors("tpu");
  INFO("rows " << errors.count << ", median " << errors.median << ", P90 " << errors.p90);
  CHECK(errors.count == 9);
  CHECK(errors.median < 0.01);
  CHECK(errors.p90 < 0.16);
}

TEST_CASE("published minutes of other accelerators follow within 5 % in the median") {
  const auto errors = clock_errors("other");
  INFO("rows " << errors.count << ", median " << errors.median << ", P90 " << errors.p90);
  CHECK(errors.count == 11);
  CHECK(errors.median < 0.047);
  CHECK(errors.p90 < 0.10);
}

TEST_CASE("start-up from the first data is inside the pauses: large GPU systems show no missing seconds") {
  // 4 s more would be 1.6 to 3.9 % on these rows.
  for (const Row& row : kRows)
    if (std::string(row.family) == "gpu" && row.accelerators >= 64) {
      INFO(row.name);
      CHECK(std::abs(clock_error(row)) < 0.01);
    }
}

TEST_CASE("later GPU minutes follow too, up to thousands of accelerators where pauses were half of the clock") {
  for (const Row& row : kLaterRows) {
    INFO(row.name);
    CHECK(std::abs(clock_error(row)) < 0.06);
  }
  // With the pauses of v0.6-v1.0 the largest system would be 50 % slower than published.
  Row largest = *std::max_element(kLaterRows.begin(), kLaterRows.end(),
                                  [](const Row& a, const Row& b) { return a.accelerators < b.accelerators; });
  largest.recipe = "v0.7-lars-mxnet";
  CHECK(clock_error(largest) > 0.4);
}

TEST_CASE("initialisation is off the clock but billed, by family and size, on TPUs by network and machines") {
  const auto init = [](const std::string& family, int n) {
    JobClockInputs inputs = resnet("v0.7-lars-mxnet", 1632, 35, 1000, family, n);
    inputs.network = "resnet";
    inputs.hosts = n / 4;
    return job_clock(inputs).init.value;
  };
  CHECK(init("gpu", 16) == 25);
  CHECK(init("gpu", 17) == 42);
  CHECK(init("gpu", 257) == 28);
  CHECK(init("tpu", 8) == Approx(96.95));
  CHECK(init("tpu", 4096) == Approx(96.95 + 1022 * 0.72));
  CHECK(init("cpu", 8) == 68);
}

TEST_CASE("a v2 pod trains 90 epochs in 7.9 min for 50.6 USD, eight V100 for 81.3 USD: 37.8 % less") {
  const auto pod = job_clock(resnet("90-epochs-training-only", 32768, 90, 243260, "tpu", 256));
  const auto box = job_clock(resnet("90-epochs-training-only", 2496, 90, 9010, "gpu", 8));
  CHECK(time_to_target(pod).value / 60 == Approx(7.9).epsilon(0.001));
  CHECK(time_to_target(box).value / 3600 == Approx(3.555).epsilon(0.001));
  const Usd pod_cost = job_cost(pod, usd_per_hour(384));
  const Usd box_cost = job_cost(box, usd_per_hour(22.88));
  CHECK(pod_cost.value == Approx(50.6).epsilon(0.001));
  CHECK(box_cost.value == Approx(81.3).epsilon(0.001));
  CHECK(1 - pod_cost / box_cost == Approx(0.378).margin(0.001));
}

TEST_CASE("the clock sums its parts; machines are held for initialisation and tear-down too") {
  Prediction::Job job;
  job.startup = Seconds(10);
  job.train = Seconds(2950);
  job.evaluation = Seconds(300);
  job.checkpoint = Seconds(60);
  job.restart = Seconds(40);
  job.preemption = Seconds(40);
  job.init = Seconds(180);
  job.teardown = Seconds(20);
  CHECK(time_to_target(job).value == 3400);
  CHECK(held_time(job, time_to_target(job)).value == 3600);
  job.clock = ClockRule::wall;  // counts initialisation, and holds no machine longer for it
  CHECK(time_to_target(job).value == 3580);
  CHECK(held_time(job, time_to_target(job)).value == 3600);
  job.billed = Seconds(3600);
  CHECK(job_cost(job, usd_per_hour(36)).value == Approx(36));
}

TEST_CASE("without initialisation the bill is the price of the time on the clock") {
  JobClockInputs inputs = resnet("v0.7-lars-tf", 4096, 42, 30000, "tpu", 16);
  inputs.network = "resnet";
  inputs.hosts = 4;
  const UsdPerSecond price = usd_per_hour(32);
  for (const ClockRule clock : {ClockRule::mlperf, ClockRule::wall}) {
    inputs.options.clock = clock;
    const Prediction::Job job = job_clock(inputs);
    const Seconds trained = time_to_target(job) - (clock == ClockRule::wall ? job.init : Seconds(0));
    const Usd without = job_cost(job, price, Charge::without_init);
    CHECK(without.value == Approx((price * trained).value).margin(0.01));  // whole seconds are billed
    CHECK((job_cost(job, price) - without).value == Approx((price * job.init).value).margin(0.02));
  }
}

TEST_CASE("the interval of the time joins samples, clock and step in quadrature") {
  auto in = resnet("v0.7-lars-mxnet", 33280, 56, 500000, "gpu", 512);
  in.target.log_spread = 0.03;
  CHECK(clock_log_spread("gpu", 512) == 0.03);
  CHECK(clock_log_spread("gpu", 16) == 0.012);
  CHECK(clock_log_spread("tpu", 16) == 0.05);
  CHECK(clock_log_spread("tpu", 17) == 0.14);
  CHECK(clock_log_spread("cpu", 4) == 0.05);
  CHECK(time_log_spread(in, 0.04) == Approx(std::sqrt(0.03 * 0.03 + 0.03 * 0.03 + 0.04 * 0.04)));
  const Interval interval = lognormal_interval(100, 0.1);
  CHECK(interval[0] == Approx(100 * std::exp(-0.1645)));
  CHECK(interval[1] == Approx(100 * std::exp(0.1645)));
}

TEST_CASE(
    "a training of a given length takes longer than its steps where such trainings did, unless the user says how "
    "long") {
  JobClockInputs inputs;
  inputs.family = "gpu";
  inputs.target.samples = 1e6;
  inputs.throughput = PerSecond(1000);
  inputs.options.evaluate = false;
  const auto beyond = [&] { return (time_to_target(job_clock(inputs)) / Seconds(1000)) - 1; };
  const double spread = time_log_spread(inputs, 0.2);
  CHECK(beyond() == 0);
  inputs.usual_overrun = {0.4, 0.25, "networks", "table.csv"};
  CHECK(beyond() == Approx(0.4));
  CHECK(time_log_spread(inputs, 0.2) == Approx(std::hypot(spread, 0.25)));
  inputs.options.overrun = 0.2;
  CHECK(beyond() == Approx(0.2));
  CHECK(time_log_spread(inputs, 0.2) == Approx(spread));
}

TEST_CASE("the interval of the cost bills the interval of the time") {
  Prediction::Job job;
  job.init = Seconds(100);
  job.train = Seconds(500);
  const Interval cost = job_cost_interval(job, Billing::second, usd_per_hour(3600), {20, 800});
  CHECK(cost[0] == Approx(120));
  CHECK(cost[1] == Approx(900));
  const Interval without =
      job_cost_interval(job, Billing::second, usd_per_hour(3600), {200, 800}, Charge::without_init);
  CHECK(without[0] == Approx(200));
  CHECK(without[1] == Approx(800));
}

TEST_CASE("a family without constants of its own takes the typical pause and says so") {
  // No TPU row of v0.5 has a steady rate: .5 + 3x, x = 50 s.
  const auto in = resnet("v0.5-sgd", 1024, 61, 1000, "tpu", 4);
  CHECK(job_clock(in).evaluation.value == Approx(15 * (0.5 + 3 * 50)));
  const auto entries = job_provenance(in, job_clock(in));
  const auto pause =
      std::find_if(entries.begin(), entries.end(), [](const auto& e) { return e.figure == "evaluation pause"; });
  REQUIRE(pause != entries.end());
  CHECK(pause->source.provenance == Provenance::assumed);
}

TEST_CASE("a job without throughput or with an unknown recipe is refused") {
  auto in = resnet("v0.7-lars-mxnet", 1632, 35, 0, "gpu", 8);
  CHECK_THROWS_AS(job_clock(in), InputError);
  in.throughput = PerSecond(std::nan(""));
  CHECK_THROWS_AS(job_clock(in), InputError);
  in = resnet("v0.8-lars-mxnet", 1632, 35, 100, "gpu", 8);
  CHECK_THROWS_WITH(job_clock(in), ContainsSubstring("v0.7-lars-mxnet"));
}
