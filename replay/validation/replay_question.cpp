#include "replay/validation/replay_question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "core/text/errors.hpp"
#include "sim/options/options_text.hpp"

namespace mlsim::replay {
namespace {

std::string entry(const std::map<std::string, std::string>& environment, const std::string& key) {
  const auto found = environment.find(key);
  return found == environment.end() ? std::string() : found->second;
}

void check_machine(const ReplayRun& run, const Profile& profile, const ReplayFiles& files) {
  const std::string processor = entry(run.environment, "processor"),
                    of_profile = entry(profile.environment, "processor");
  if (of_profile != processor)
    throw InputError(files.profile, fmt::format("was measured on {}, and {} ran on {}",
                                                of_profile.empty() ? "a machine that it does not name" : of_profile,
                                                files.run, processor));
  const std::string host = entry(profile.environment, "host");
  if (std::find(run.hosts.begin(), run.hosts.end(), host) == run.hosts.end())
    throw InputError(files.profile,
                     fmt::format("was measured on host {}, and {} ran on {}", host, files.run, run.hosts.front()));
}

// Only the day is known of profiles that older versions measured.
void check_time(const ReplayRun& run, const Profile& profile, const ReplayFiles& files) {
  const std::string time = entry(profile.environment, "time"), date = entry(profile.environment, "date");
  const std::string measured = time.empty() ? date : time;
  if (measured.empty()) throw InputError(files.profile, "does not say when it was measured");
  if (measured > run.time.substr(0, measured.size()))
    throw InputError(files.profile,
                     fmt::format("was measured at {}, after {}, which ran at {}: a prediction is made of "
                                 "what was known before",
                                 measured, files.run, run.time));
}

std::size_t hosts_of(const ReplayRun& run) { return std::set(run.hosts.begin(), run.hosts.end()).size(); }

// Between ranks of one host a library is known where the profile has measured it there.
bool knows_library(const ReplayRun& run, const Profile& profile) {
  if (hosts_of(run) > 1) return true;
  const auto is_of = [&](const auto& each) { return each.communicator == run.order.backend; };
  return run.hosts.size() > 1 && std::any_of(profile.collectives.begin(), profile.collectives.end(), is_of);
}

Options replay_options(const ReplayRun& run, const Profile& profile) {
  const ReplayOrder& order = run.order;
  Options options;
  const auto set = [&](const char* key, const std::string& value) { set_option(options, key, value); };
  const auto on_off = [](bool on) { return on ? "on" : "off"; };
  set("optimizer", order.optimizer);
  set("fusion", "on");
  set("overlap", on_off(order.overlap));
  set("bucket", fmt::format("{} B", order.bucket.value));
  set("first_bucket", fmt::format("{} B", order.first_bucket.value));
  if (knows_library(run, profile)) set("communicator", order.backend);
  if (order.stages > 1) set("pipeline_schedule", "gpipe");
  if (order.update == ReplayUpdate::sharded) set("sharded_update", "on");
  if (order.update != ReplayUpdate::servers) return options;
  set("variable_update", "parameter_server");
  set("local_parameter_device", "cpu");
  set("servers", "colocated");
  if (hosts_of(run) > 1) set("server_placement", "partitioned");
  return options;
}

std::string replay_topology(const ReplayRun& run, const std::string& topology) {
  if (topology.find(".yaml:") != std::string::npos || topology.find(".yml:") != std::string::npos) return topology;
  return fmt::format("{}:nodes={},per_node={}", topology, hosts_of(run), run.hosts.size() / hosts_of(run));
}

}  // namespace

void check_profile(const ReplayRun& run, const Profile& profile, const ReplayFiles& files) {
  check_machine(run, profile, files);
  check_time(run, profile, files);
  const auto fits = [&](const KernelSample& sample) { return sample.threads == run.order.threads; };
  if (std::none_of(profile.kernels.begin(), profile.kernels.end(), fits))
    throw InputError(files.profile, fmt::format("has no kernels on {} thread{}, as {} ran them; measure them: mlsim "
                                                "calibrate --workload {} --threads {}",
                                                run.order.threads, run.order.threads == 1 ? "" : "s", files.run,
                                                run.order.workload, run.order.threads));
}

PredictRequest replay_question(const ReplayRun& run, Profile profile, const std::string& topology) {
  std::erase_if(profile.kernels, [&](const KernelSample& sample) { return sample.threads != run.order.threads; });
  PredictRequest request;
  request.topology = replay_topology(run, topology);
  request.workload = run.order.workload;
  if (run.order.stages > 1) {
    request.global_batch = run.order.batch;
    request.parallelism = fmt::format("pipeline={},micro_batches={}", run.order.stages, run.order.micro_batches);
  } else {
    request.batch_per_accelerator = run.order.batch;
    if (run.order.micro_batches > 1) request.parallelism = fmt::format("micro_batches={}", run.order.micro_batches);
  }
  request.precision = Precision::fp32;
  request.options = replay_options(run, profile);
  std::vector<Profile> own;
  own.push_back(std::move(profile));
  request.own_profiles = std::move(own);
  return request;
}

}  // namespace mlsim::replay
