// A language model's software is a class: it tells the host's time, and what runs say of one another.
#include "sim/evidence/software_class.hpp"

#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/answer/predict.hpp"
#include "sim/evidence/run_traits.hpp"
#include "sim/options/options_text.hpp"
#include "topologies/machine/accelerator_file.hpp"

using namespace mlsim;
using namespace mlsim::sim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// One layer's width and a vocabulary so small that the host decides.
PredictRequest small_decoder(const Settings& settings, const std::string& workload) {
  PredictRequest request;
  request.topology = "dgx-a100-80gb";
  request.accelerators = 1;
  request.workload = workload;
  request.precision = Precision::fp16;
  request.global_batch = 1;
  request.fidelity = Fidelity::closed;
  request.as_is = true;
  request.options = options_of(settings);
  request.builtin_profiles = calibrate::builtin_profiles();
  return request;
}

const std::string kNarrow = "gpt2:layers=12,hidden=1024,heads=16,sequence=256,vocabulary=1024";

double step(const Settings& settings, const std::string& workload = kNarrow) {
  return predict(small_decoder(settings, workload)).step.time.value;
}

}  // namespace

TEST_CASE("a stack's name tells its class of software") {
  const AcceleratorFamily gpu = AcceleratorFamily::gpu;
  CHECK(class_of_stack("megatron", gpu) == SoftwareClass::tuned);
  CHECK(class_of_stack("nemo-25.04", gpu) == SoftwareClass::tuned);
  CHECK(class_of_stack("torchtitan", gpu) == SoftwareClass::compiled);
  CHECK(class_of_stack("deepspeed", gpu) == SoftwareClass::eager);
  CHECK(class_of_stack("megatron-deepspeed", gpu) == SoftwareClass::tuned);  // its layers are Megatron's
  CHECK(class_of_stack("mlperf-v4.0", gpu) == SoftwareClass::tuned);
  CHECK(class_of_stack("mlperf-v4.0", AcceleratorFamily::tpu) == SoftwareClass::compiled);
  CHECK_FALSE(class_of_stack("tf-2017", gpu));
  CHECK(usual_class(gpu) == SoftwareClass::tuned);
  CHECK(usual_class(AcceleratorFamily::tpu) == SoftwareClass::compiled);
}

TEST_CASE("a pass of a narrow layer lasts as long as its host, one of a wide layer as long as its kernels") {
  const double eager = step({{"stack", "eager"}, {"launch", "eager"}});
  const double compiled = step({{"stack", "eager"}, {"launch", "compiled"}});
  const double graphs = step({{"stack", "eager"}, {"launch", "graphs"}});
  CHECK(eager > 1.5 * compiled);
  CHECK(compiled >= graphs);
  const std::string wide = "gpt2:layers=4,hidden=8192,heads=64,sequence=4096,vocabulary=1024";
  CHECK(step({{"stack", "tuned"}, {"launch", "eager"}}, wide) ==
        Approx(step({{"stack", "tuned"}, {"launch", "graphs"}}, wide)).epsilon(1e-6));
}

TEST_CASE("software that fuses less is slower where layers are narrow, and quicker where wide ones are not split") {
  const auto compute = [](const char* stack, const std::string& workload) {
    return predict(small_decoder({{"stack", stack}, {"launch", "graphs"}}, workload)).step.compute.value;
  };
  // Attention is the same kernel on an A100; a layer's products take 12 h^2 FLOP a token, its passes some h bytes.
  const std::string narrow = "gpt2:layers=12,hidden=768,heads=12,sequence=1024,vocabulary=1024";
  const std::string wide = "gpt2:layers=1,hidden=16384,heads=128,sequence=1024,vocabulary=1024";
  CHECK(compute("eager", narrow) > 1.2 * compute("tuned", narrow));
  CHECK(compute("eager", narrow) > compute("compiled", narrow));
  CHECK(compute("compiled", narrow) > compute("tuned", narrow));
  CHECK(compute("eager", wide) / compute("tuned", wide) == Approx(0.8).epsilon(0.1));  // tuned, on A100
  CHECK(compute("eager", wide) < compute("compiled", wide));
}

TEST_CASE("attention of compiled and eager software has no more than FlashAttention-2's share on chips with fp8") {
  const auto attention = [](const char* chip, SoftwareClass software) -> std::optional<double> {
    return class_terms(software, topologies::load_accelerator(chip)).attention;
  };
  CHECK_FALSE(attention("a100-sxm4-80gb", SoftwareClass::eager));
  CHECK_FALSE(attention("h100-sxm5", SoftwareClass::tuned));
  CHECK(attention("h100-sxm5", SoftwareClass::eager) == attention("h100-sxm5", SoftwareClass::compiled));
  CHECK(is_run_by_xla("maxtext"));  // by cuDNN's attention
  CHECK_FALSE(is_run_by_xla("torchtitan"));
  const auto h100 = topologies::load_accelerator("h100-sxm5");
  CHECK_FALSE(class_terms(SoftwareClass::compiled, h100, {}, true).attention);
  CHECK(*attention("h100-sxm5", SoftwareClass::eager) > 0.35 / 0.59);
  CHECK(*attention("h100-sxm5", SoftwareClass::eager) < 0.45 / 0.46);  // PyTorch 2.11's with heads of 128
}

TEST_CASE("exchanges of tensor ranks run beside their products by software and chip, but where it is told") {
  const auto time = [](const std::string& topology, const std::string& workload, const Settings& settings) {
    PredictRequest request = small_decoder(settings, workload);
    request.topology = topology;
    request.accelerators = 8;
    request.parallelism = "tensor=8";
    return predict(request).step.time.value;
  };
  const std::string wide = "gpt2:layers=4,hidden=8192,heads=64,sequence=4096,vocabulary=1024";
  const double beside = time("dgx-h100", wide, {{"tensor_overlap", "on"}}),
               apart = time("dgx-h100", wide, {{"tensor_overlap", "off"}});
  CHECK(beside < 0.95 * apart);
  for (const char* stack : {"tuned", "nemo-25.04", "transformer-engine", "mlperf-v5.0"})
    CHECK(time("dgx-h100", wide, {{"stack", stack}}) == beside);
  CHECK(time("dgx-h100", wide, {}) == beside);
  CHECK(time("dgx-h100", wide, {{"stack", "megatron"}}) == apart);
  CHECK(time("dgx-h100", wide, {{"stack", "nemo"}, {"tensor_overlap", "off"}}) == apart);
  CHECK(time("dgx-a100-80gb", wide, {}) == time("dgx-a100-80gb", wide, {{"tensor_overlap", "off"}}));
}

TEST_CASE("two classes of software are two code bases, two releases of one class are one") {
  const ChipTraits chip = chip_traits("h100-sxm5");
  const auto base = [&](const std::string& stack) {
    return stack_name(stack, chip, NetworkSort::language_model).code_base;
  };
  CHECK(base("nemo-25.04") == base("megatron"));
  CHECK(base("mlperf-v4.0") == base(""));
  CHECK(base("torchtitan") != base("megatron"));
  CHECK(stack_name("mlperf-v4.0", chip, NetworkSort::image).code_base == "mlperf");
}
