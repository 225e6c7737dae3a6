#include "cli/calibrate_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "calibrate/collectives/payload_sizes.hpp"
#include "calibrate/environment.hpp"
#include "cli/command.hpp"
#include "core/errors.hpp"
#include "core/split.hpp"
#include "core/units_text.hpp"
#include "kernels/cpu/probe_list.hpp"
#include "kernels/cuda/probe_list.hpp"

namespace mlsim {
namespace {

// A minute's promise less what starting, fitting and a last kernel that is slow take.
constexpr Seconds kQuickLimit(45);
constexpr double kQuickNoise = 0.05;
constexpr int kQuickMinSamples = 10, kQuickMaxSamples = 100;
constexpr Seconds kQuickSample(0.5);

struct DefaultStep {
  const char* workload;
  double batch;
};
// MLBench's task 1 and task 2, both 128 samples a rank.
constexpr DefaultStep kCpuSteps[] = {{"resnet20-cifar", 128}, {"logreg-epsilon", 128}};
// As MLPerf runs them on chips of 16 GB, which any GPU of the catalogue holds.
constexpr DefaultStep kGpuSteps[] = {{"resnet50", 128}, {"bert-large-128", 16}};
// Where nothing says better: large enough to fill a device, small enough to fit.
constexpr double kUsualBatch = 32;

template <class Parse>
auto parsed_list(const std::string& option, const std::string& text, Parse parse) {
  std::vector<decltype(parse(text))> list;
  for (const auto& item : split(text, ',')) list.push_back(parsed(option, item, parse));
  return list;
}

std::string checked(const std::string& option, const std::string& word, const std::vector<std::string>& known) {
  check_word(option, word, known);
  return word;
}

double default_batch(const std::string& workload) {
  for (const auto* steps : {&kCpuSteps, &kGpuSteps})
    for (const auto& step : *steps)
      if (workload == step.workload) return step.batch;
  return kUsualBatch;
}

std::vector<StepChoice> step_choices(const CalibrateOptions& options, Device device) {
  std::vector<std::string> workloads = options.workloads;
  if (workloads.empty())
    for (const auto& step : device == Device::cuda ? kGpuSteps : kCpuSteps) workloads.emplace_back(step.workload);
  const std::string usual = device == Device::cuda ? "fp16" : "fp32";
  const auto precisions =
      parsed_list("--precision", options.precision.empty() ? usual : options.precision, parse_precision);
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

// 1, 2, 4 ... and all of them.
std::vector<int> doubling_threads(int all) {
  std::vector<int> threads;
  for (int n = 1; n < all; n *= 2) threads.push_back(n);
  threads.push_back(all);
  return threads;
}

std::vector<int> thread_counts(const CalibrateOptions& options, Device device) {
  if (device == Device::cuda) {
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
  const Seconds limit = parsed("--time-limit", options.time_limit, parse_quantity<Seconds>);
  if (!(limit > Seconds(0))) throw InputError("--time-limit", "must be more than no time");
  return limit;
}

std::uint64_t seed_of(const CalibrateOptions& options) {
  return static_cast<std::uint64_t>(
      parsed("--seed", options.seed, [](const std::string& t) { return parse_count(t, 0); }));
}

PlanChoices kernel_choices(const CalibrateOptions& options) {
  PlanChoices choices;
  const std::string device = options.device.empty() ? "cpu" : options.device;
  if (device == "gpu") throw InputError("--device", "\"gpu\" is cuda here: kernels are measured on NVIDIA's");
  choices.device = checked("--device", device, {"cpu", "cuda"}) == "cuda" ? Device::cuda : Device::cpu;
  choices.steps = step_choices(options, choices.device);
  choices.probes = choices.device == Device::cuda ? cuda_probes(options.quick) : cpu_probes(options.quick);
  choices.threads = thread_counts(options, choices.device);
  const std::string caches = options.quick ? "cold" : "cold,hot";
  choices.caches = parsed_list("--cache", options.cache.empty() ? caches : options.cache, parse_cache);
  choices.grid = !options.quick;
  choices.rule = stopping_rule(options);
  choices.seed = seed_of(options);
  return choices;
}

CollectiveKind measured_kind(const std::string& word) {
  std::vector<std::string> names;
  for (const auto kind : measured_kinds())
    names.emplace_back(kind == CollectiveKind::send_receive ? "point-to-point" : name(kind));
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) throw InputError(unknown_word("collective", word, names));
  return measured_kinds()[static_cast<std::size_t>(found - names.begin())];
}

CollectiveChoices collective_choices(const CalibrateOptions& options) {
  CollectiveChoices choices;
  choices.kinds = options.collectives.empty() || options.collectives == "all"
                      ? measured_kinds()
                      : parsed_list("--collectives", options.collectives, measured_kind);
  choices.libraries = split(options.library_name.empty() ? "mpi" : options.library_name, ',');
  for (const auto& library : choices.libraries) check_word("--library", library, {"mpi", "gloo", "nccl"});
  choices.precisions =
      parsed_list("--precision", options.precision.empty() ? "fp32,fp16" : options.precision, parse_precision);
  for (const auto precision : choices.precisions)
    check_word("--precision", std::string(name(precision)), {"fp32", "fp16"});
  choices.sizes = options.sizes.empty() ? (options.quick ? "quick" : "nccl-tests") : options.sizes;
  check_word("--sizes", choices.sizes, payload_size_names());
  if (!options.max_bytes.empty()) choices.largest = parsed("--max-bytes", options.max_bytes, parse_quantity<Bytes>);
  choices.rule = stopping_rule(options);
  choices.seed = seed_of(options);
  return choices;
}

bool is_installed(const std::string& program) {
  const char* path = std::getenv("PATH");
  for (const auto& folder : split(path == nullptr ? "" : path, ':'))
    if (::access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0) return true;
  return false;
}

// An option of the other subject is not silently left out.
void refuse_collective_options(const CalibrateOptions& options) {
  const std::vector<std::pair<const char*, const std::string*>> given{{"--collectives", &options.collectives},
                                                                      {"--library", &options.library_name},
                                                                      {"--sizes", &options.sizes},
                                                                      {"--max-bytes", &options.max_bytes}};
  for (const auto& [option, value] : given) {
    if (value->empty()) continue;
    if (!is_installed("mpirun"))
      throw Unavailable(
          fmt::format("{}: collectives are measured between ranks that mpirun starts, and there is no "
                      "mpirun; it needs Open MPI (apt-get install openmpi-bin)",
                      option));
    throw InputError(option,
                     "collectives are measured between ranks, which mpirun starts: mpirun -n 2 mlsim calibrate");
  }
}

void refuse_kernel_options(const CalibrateOptions& options) {
  const std::vector<std::pair<const char*, bool>> given{{"--device", !options.device.empty()},
                                                        {"--workload", !options.workloads.empty()},
                                                        {"--batch-per-accelerator", !options.batch.empty()},
                                                        {"--threads", !options.threads.empty()},
                                                        {"--cache", !options.cache.empty()},
                                                        {"--fusion", !options.fusion.empty()},
                                                        {"--import", !options.imports.empty()}};
  for (const auto& [option, is_given] : given)
    if (is_given) throw InputError(option, "under mpirun collectives are measured; this needs a run without it");
}

}  // namespace

void add_calibrate_options(CLI::App& command, CalibrateOptions& options) {
  command.add_option("--device", options.device, "cpu (default) or cuda")->type_name("NAME");
  command
      .add_option("--workload", options.workloads,
                  "Model whose kernels are measured; may be given several times (resnet20-cifar and logreg-epsilon; "
                  "with cuda resnet50 and bert-large-128)")
      ->type_name("NAME|FILE")
      ->allow_extra_args(false);
  command.add_option("--batch-per-accelerator", options.batch, "Samples of a step (128 of images, else 16 or 32)")
      ->type_name("N");
  command.add_option("--precision", options.precision, "fp32 (default), with cuda fp16; of collectives fp32,fp16")
      ->type_name("FORMAT,...");
  command.add_option("--threads", options.threads, "Of a processor (1, 2, 4 ... all)")->type_name("N,...");
  command.add_option("--cache", options.cache, "Caches before a kernel runs (cold,hot)")->type_name("STATE,...");
  command.add_option("--fusion", options.fusion, "Kernels of a step with (on), without (off) or both")
      ->type_name("WORD");
  command
      .add_option("--collectives", options.collectives,
                  "Under mpirun: all (default), or of all-reduce, reduce-scatter, all-gather, broadcast, "
                  "all-to-all, point-to-point")
      ->type_name("KIND,...");
  command.add_option("--library", options.library_name, "Under mpirun: mpi (default), gloo, nccl")
      ->type_name("NAME,...");
  command.add_option("--sizes", options.sizes, "Under mpirun: nccl-tests (default), task0 (MLBench's) or quick")
      ->type_name("NAME");
  command.add_option("--max-bytes", options.max_bytes, "Under mpirun: no payload above, as 16 MiB")->type_name("SIZE");
  command
      .add_option("--import", options.imports,
                  "Add what nccl-tests (text or JSON) or an OSU benchmark measured; measures nothing by itself")
      ->type_name("FILE[:KEY=VALUE,...]")
      ->allow_extra_args(false);
  command.add_option("--output", options.output, "Profile to write or to add to (profile.json)")->type_name("FILE");
  command.add_option("--cluster", options.cluster, "Write this machine as a topology, too")->type_name("FILE.yaml");
  command
      .add_option("--nccl-topology", options.nccl_topology, "--cluster from this file (NCCL_TOPO_DUMP_FILE) instead")
      ->type_name("FILE.xml");
  command.add_option("--hwloc", options.hwloc, "--cluster from this file (lstopo --of xml) instead")
      ->type_name("FILE.xml");
  command.add_option("--accelerator", options.accelerator, "Name of what was measured (of its model)")
      ->type_name("NAME");
  command.add_flag("--quick", options.quick, "A coarse profile within a minute");
  command.add_flag("--dry-run", options.dry_run, "Print what would be measured and what it would take");
  command.add_option("--time-limit", options.time_limit, "For the whole run, as 10min")->type_name("TIME");
  command.add_option("--noise", options.noise, "Interquartile range over median that is enough (0.02)")
      ->type_name("SHARE");
  command.add_option("--seed", options.seed, "Of the order in which things are measured (1)")->type_name("N");
  command.add_flag("--restart", options.restart, "Forget what an interrupted run measured");
  command.add_flag("--quiet", options.quiet, "No progress on stderr");
}

// A topology that is read measures nothing, so what says how to measure has no meaning beside it.
void check_topology_import(const CalibrateOptions& options) {
  const std::string option = options.nccl_topology.empty() ? "--hwloc" : "--nccl-topology";
  if (!options.nccl_topology.empty() && !options.hwloc.empty())
    throw InputError("--hwloc", "cannot be given together with --nccl-topology");
  if (options.cluster.empty()) throw InputError(option, "needs --cluster FILE.yaml, where the topology is written");
  if (!options.imports.empty()) throw InputError("--import", "cannot be given together with " + option);
  if (!options.workloads.empty() || !options.device.empty() || options.quick || options.dry_run)
    throw InputError(option, "only writes --cluster; give what is to be measured in a run of its own");
}

CalibrateRequest calibrate_request(const CalibrateOptions& options, const std::optional<Launch>& launch) {
  CalibrateRequest request;
  request.launch = launch;
  request.time_limit = time_limit(options);
  request.output = options.output;
  request.cluster = options.cluster;
  request.accelerator = options.accelerator;
  request.imports = options.imports;
  request.nccl_topology = options.nccl_topology;
  request.hwloc = options.hwloc;
  request.dry_run = options.dry_run;
  request.restart = options.restart;
  request.quiet = options.quiet;
  if (!options.nccl_topology.empty() || !options.hwloc.empty()) {
    check_topology_import(options);
    request.subject = CalibrateRequest::Subject::topology;
    return request;
  }
  if (launch) {
    refuse_kernel_options(options);
    request.subject = CalibrateRequest::Subject::collectives;
    request.collectives = collective_choices(options);
    return request;
  }
  refuse_collective_options(options);
  request.kernels = kernel_choices(options);
  const bool measures = options.imports.empty() || !options.device.empty() || !options.workloads.empty();
  if (measures) return request;
  request.subject = CalibrateRequest::Subject::imports;
  if (!options.cluster.empty()) throw InputError("--cluster", "is of what is measured, and an import measures nothing");
  return request;
}

}  // namespace mlsim
