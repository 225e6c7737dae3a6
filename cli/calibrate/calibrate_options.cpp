#include "cli/calibrate/calibrate_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "calibrate/environment.hpp"
#include "cli/calibrate/collective_options.hpp"
#include "cli/program/command.hpp"
#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"
#include "core/text/units_text.hpp"
#include "kernels/cache_size.hpp"
#include "kernels/probes.hpp"

namespace mlsim::cli {
namespace {

struct DefaultStep {
  const char* workload;
  double batch;
};
// These are MLBench's task 1 and task 2, both with 128 samples a rank.
constexpr DefaultStep kCpuSteps[] = {{"resnet20-cifar", 128}, {"logreg-epsilon", 128}};
// These batches are MLPerf's on chips of 16 GB, which any GPU of the catalogue holds.
constexpr DefaultStep kGpuSteps[] = {{"resnet50", 128}, {"bert-large-128", 16}};
// Other workloads get this batch: it is large enough to fill a device, small enough to fit.
constexpr double kUsualBatch = 32;

double default_batch(const std::string& workload) {
  for (const auto* steps : {&kCpuSteps, &kGpuSteps})
    for (const auto& step : *steps)
      if (workload == step.workload) return step.batch;
  return kUsualBatch;
}

std::vector<StepChoice> step_choices(const CalibrateOptions& options, KernelDevice device) {
  std::vector<std::string> workloads = options.workloads;
  if (workloads.empty())
    for (const auto& step : device == KernelDevice::cuda ? kGpuSteps : kCpuSteps) workloads.emplace_back(step.workload);
  const std::string usual = device == KernelDevice::cuda ? "fp16" : "fp32";
  const auto precisions =
      parsed_list("--precision", options.precision.empty() ? usual : options.precision, parse<Precision>);
  const std::string fusion = options.fusion.empty() ? "on" : options.fusion;
  check_word("--fusion", fusion, {"on", "off", "both"});
  std::vector<StepChoice> choices;
  for (const auto& workload : workloads) {
    const double batch = options.batch.empty()
                             ? default_batch(workload)
                             : parsed("--batch-per-accelerator", options.batch, [](auto& t) { return parse_count(t); });
    for (const Precision precision : precisions) {
      if (fusion != "off") choices.push_back({workload, batch, precision, true});
      if (fusion != "on") choices.push_back({workload, batch, precision, false});
    }
  }
  return choices;
}

// The numbers are 1, 2, 4 ... and all of them.
std::vector<int> doubling_threads(int all) {
  std::vector<int> threads;
  for (int n = 1; n < all; n *= 2) threads.push_back(n);
  threads.push_back(all);
  return threads;
}

std::vector<int> thread_counts(const CalibrateOptions& options, KernelDevice device) {
  if (device == KernelDevice::cuda) {
    if (!options.threads.empty()) throw InputError("--threads", "is for processors; a GPU has no such choice");
    return {0};
  }
  const int all = available_threads();
  if (options.threads.empty()) return options.quick ? std::vector<int>{all} : doubling_threads(all);
  const auto counts = parsed_list("--threads", options.threads, [](auto& t) { return parse_count(t); });
  for (const int count : counts)
    if (count > all) throw InputError("--threads", fmt::format("{} are more than the {} of this machine", count, all));
  return counts;
}

// A quick run on a processor has no list: it measures kernels in the states in which the steps find them.
std::vector<Cache> cache_states(const CalibrateOptions& options, KernelDevice device) {
  if (options.cache.empty() && options.quick && device == KernelDevice::cpu) return {};
  const std::string usual = options.quick ? "cold" : device == KernelDevice::cuda ? "cold,hot" : "cold,hot,fresh";
  const auto states = parsed_list("--cache", options.cache.empty() ? usual : options.cache, parse<Cache>);
  if (device == KernelDevice::cuda && std::find(states.begin(), states.end(), Cache::fresh) != states.end())
    throw InputError("--cache",
                     "fresh is for processors: what of a batch a GPU's cache holds is up to the copy that brings it");
  return states;
}

void add_kernel_options(CLI::App& command, CalibrateOptions& options) {
  const auto add = [&](const char* name, auto& value, const char* meaning, const char* type) {
    return command.add_option(name, value, meaning)->type_name(type)->group("Of kernels");
  };
  add("--device", options.device, "cpu (default) or cuda", "NAME");
  add("--workload", options.workloads,
      "Model whose kernels are measured; may be given several times (resnet20-cifar and logreg-epsilon; with cuda "
      "resnet50 and bert-large-128)",
      "NAME|FILE")
      ->allow_extra_args(false);
  add("--batch-per-accelerator", options.batch, "Samples of a step (128 of images, else 16 or 32)", "N");
  add("--threads", options.threads, "Of a processor (1, 2, 4 ... all)", "N,...");
  add("--cache", options.cache,
      "Caches before a kernel runs (cold,hot and, of a processor, fresh: all but the batch; with --quick as in the "
      "step)",
      "STATE,...");
  add("--fusion", options.fusion, "Kernels of a step with (on), without (off) or both", "WORD");
}

// Throws InputError naming the option that is wrong.
PlanChoices kernel_choices(const CalibrateOptions& options) {
  PlanChoices choices;
  const std::string device = options.device.empty() ? "cpu" : options.device;
  if (device == "gpu") throw InputError("--device", "\"gpu\" is cuda here: kernels are measured on NVIDIA's");
  check_word("--device", device, {"cpu", "cuda"});
  choices.device = device == "cuda" ? KernelDevice::cuda : KernelDevice::cpu;
  choices.steps = step_choices(options, choices.device);
  choices.probes = choices.device == KernelDevice::cuda ? cuda_probes(options.quick) : cpu_probes(options.quick);
  choices.threads = thread_counts(options, choices.device);
  choices.caches = cache_states(options, choices.device);
  choices.last_level = Bytes(static_cast<double>(shared_cache_bytes()));
  choices.grid = !options.quick;
  choices.rule = stopping_rule(options);
  choices.seed = seed_of(options);
  return choices;
}

// Refuses these options under mpirun instead of leaving them out silently. Throws InputError where one is given.
void refuse_kernel_options(const CalibrateOptions& options) {
  const std::vector<std::pair<const char*, bool>> given{{"--device", !options.device.empty()},
                                                        {"--workload", !options.workloads.empty()},
                                                        {"--batch-per-accelerator", !options.batch.empty()},
                                                        {"--threads", !options.threads.empty()},
                                                        {"--cache", !options.cache.empty()},
                                                        {"--fusion", !options.fusion.empty()}};
  for (const auto& [option, is_given] : given)
    if (is_given) throw InputError(option, "under mpirun collectives are measured; this needs a run without it");
}

// The quick limit is a promised minute less what starting, fitting and a last kernel that is slow take.
constexpr Seconds kQuickLimit(45);
constexpr double kQuickNoise = 0.05;
constexpr int kQuickMinSamples = 10, kQuickMaxSamples = 100;
constexpr Seconds kQuickSample(0.5);

struct MovedOption {
  const char *name, *command;
};
// The options are refused in this order, because --cluster used to be given together with the two before it.
constexpr MovedOption kMovedOptions[] = {
    {"--import", "mlsim import FILE"},
    {"--complete-on", "mlsim import --complete-on TOPOLOGY"},
    {"--nccl-topology", "mlsim topology --nccl FILE.xml --output FILE.yaml"},
    {"--hwloc", "mlsim topology --hwloc FILE.xml --output FILE.yaml"},
    {"--cluster", "mlsim topology --profile FILE.json --output FILE.yaml"},
};

// A user's script with an option of before is told the command that now does it.
void refuse_moved_options(CLI::App& command) {
  for (const MovedOption& moved : kMovedOptions) {
    const auto refuse = [moved](const std::string&) {
      throw InputError(moved.name, std::string("has a command of its own: ") + moved.command);
    };
    command.add_option_function<std::string>(moved.name, refuse)->group("");
  }
}

}  // namespace

void add_calibrate_options(CLI::App& command, CalibrateOptions& options) {
  command.add_option("--output", options.output, "Profile to write or to add to (profile.json)")->type_name("FILE");
  command.add_option("--accelerator", options.accelerator, "Name of what was measured (of its model)")
      ->type_name("NAME");
  command.add_option("--precision", options.precision, "fp32 (default), with cuda fp16; of collectives fp32,fp16")
      ->type_name("FORMAT,...");
  command.add_flag("--quick", options.quick, "A coarse profile within a minute");
  command.add_flag("--dry-run", options.dry_run, "Print what would be measured and what it would take");
  command.add_option("--time-limit", options.time_limit, "For the whole run, as 10min")->type_name("TIME");
  command.add_option("--noise", options.noise, "Interquartile range over median that is enough (0.02)")
      ->type_name("SHARE");
  command.add_option("--seed", options.seed, "Of the order in which things are measured (1)")->type_name("N");
  command.add_flag("--restart", options.restart, "Forget what an interrupted run measured");
  command.add_flag("--quiet")->description("No progress on stderr");
  add_kernel_options(command, options);
  add_collective_options(command, options);
  refuse_moved_options(command);
}

CalibrateRequest calibrate_request(const CalibrateOptions& options, const std::optional<Launch>& launch) {
  CalibrateRequest request;
  request.launch = launch;
  request.time_limit = time_limit(options);
  request.output = options.output;
  request.accelerator = parsed("--accelerator", options.accelerator, checked_name);
  request.dry_run = options.dry_run;
  request.restart = options.restart;
  if (launch) {
    refuse_kernel_options(options);
    request.collectives = collective_choices(options);
  } else {
    refuse_collective_options(options);
    request.kernels = kernel_choices(options);
  }
  return request;
}

StoppingRule stopping_rule(const CalibrateOptions& options) {
  StoppingRule rule;
  if (options.quick) rule = {kQuickNoise, kQuickMinSamples, kQuickMaxSamples, kQuickSample};
  if (!options.noise.empty()) {
    rule.noise = parsed("--noise", options.noise, parse_number);
    if (!(rule.noise > 0 && rule.noise < 1)) throw InputError("--noise", "must lie between 0 and 1, as 0.02");
  }
  return rule;
}

std::optional<Seconds> time_limit(const CalibrateOptions& options) {
  if (options.time_limit.empty()) return options.quick ? std::optional<Seconds>(kQuickLimit) : std::nullopt;
  return parsed_time_limit(options.time_limit);
}

std::uint64_t seed_of(const CalibrateOptions& options) {
  return static_cast<std::uint64_t>(
      parsed("--seed", options.seed, [](const std::string& t) { return parse_count(t, 0); }));
}

}  // namespace mlsim::cli
