#include "fuzzed_reader.hpp"

#include "calibrate/import/import_file.hpp"
#include "core/profile/profile.hpp"
#include "core/result/replay_run.hpp"
#include "interop/chakra/recorded_ranks.hpp"
#include "interop/logs/mlperf_log.hpp"
#include "interop/logs/slurm_jobs.hpp"
#include "replay/pipeline/pipeline_record.hpp"
#include "replay/trace/rank_trace.hpp"
#include "scratch_folder.hpp"
#include "sim/options/options_text.hpp"
#include "sim/stragglers/straggler_options.hpp"
#include "topologies/import/imports.hpp"
#include "topologies/machine/machine_file.hpp"
#include "topologies/price/own_price.hpp"
#include "validation/cases/cases.hpp"
#include "workloads/model/model_catalogue.hpp"

namespace mlsim::test {
namespace {

// The path of a file with these bytes, in the place of the one before.
std::string fuzzed_file(const std::string& name, const std::string& bytes) {
  static const ScratchFolder folder;
  return folder.file(name, bytes);
}

// Some logs list their ranks, of others the user has to say them.
void import_benchmark(const std::string& bytes) {
  const std::string path = fuzzed_file("sweep.txt", bytes);
  calibrate::ImportHints hints;
  hints.nodes = 2;
  hints.ranks_per_node = 8;
  try {
    calibrate::import_file(path, hints);
  } catch (const InputError&) {
    calibrate::import_file(path);
  }
}

}  // namespace

const std::vector<FuzzedReader>& fuzzed_readers() {
  static const std::vector<FuzzedReader> all{
      {"model", [](const std::string& bytes) { workloads::load_model(fuzzed_file("model.yaml", bytes)); }},
      {"topology", [](const std::string& bytes) { topologies::read_machine(Document::parse(bytes, "machine.yaml")); }},
      {"price", [](const std::string& bytes) { topologies::read_own_prices(fuzzed_file("prices.yaml", bytes)); }},
      {"profile", [](const std::string& bytes) { profile_from_json(bytes, "profile.json"); }},
      {"cases", [](const std::string& bytes) { validation::parse_cases(bytes, "cases.csv"); }},
      {"settings", [](const std::string& bytes) { sim::parse_options(bytes); }},
      {"nccl-tests-text", import_benchmark},
      {"nccl-tests-json", import_benchmark},
      {"osu", import_benchmark},
      {"nccl-xml", [](const std::string& bytes) { topologies::nccl_topology(fuzzed_file("system.xml", bytes)); }},
      {"hwloc-xml", [](const std::string& bytes) { topologies::hwloc_machine(fuzzed_file("host.xml", bytes)); }},
      {"jitter", [](const std::string& bytes) { sim::parse_jitter("samples:" + fuzzed_file("times.txt", bytes)); }},
      {"kineto", [](const std::string& bytes) { replay::load_rank_trace(fuzzed_file("rank0.json", bytes)); }},
      {"nsys", [](const std::string& bytes) { replay::load_rank_trace(fuzzed_file("rank0.sqlite", bytes)); }},
      {"pipeline-record", [](const std::string& bytes) { replay::parse_pipeline_record(bytes, "ops.csv"); }},
      {"chakra",
       [](const std::string& bytes) {
         const std::string path = fuzzed_file("chakra/step.0.et", bytes);
         interop::load_et_ranks(path.substr(0, path.size() - std::string(".0.et").size()), "");
       }},
      {"replay-run", [](const std::string& bytes) { replay_run_from_json(bytes, "run.json"); }},
      {"mllog", [](const std::string& bytes) { interop::mlperf_run(bytes, "result_0.txt"); }},
      {"sacct", [](const std::string& bytes) { interop::slurm_jobs(bytes, "jobs.txt"); }}};
  return all;
}

}  // namespace mlsim::test
