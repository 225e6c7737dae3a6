#include "sim/options/setting_effects.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.hpp"
#include "sim/options/settings.hpp"

namespace mlsim::sim {
namespace {

// One of `company` must be given for `key` to count; "key=" stands for any value.
struct Company {
  std::string key;
  std::vector<std::string> company;
};

const std::vector<Company>& companies() {
  static const std::vector<Company> all{
      {"decode", {"data=real"}},
      {"storage_bandwidth", {"data=real"}},
      {"page_cache", {"data=real"}},
      {"preemption_rate", {"price=preemptible"}},
      {"straggler_steps", {"speed_spread=", "jitter=", "input_skew="}},
      {"restart_time", {"failures=on", "price=preemptible"}},
      {"time_between_failures", {"failures=on", "checkpoint=on"}},
      {"checkpoint_bandwidth", {"checkpoint=on", "checkpoint_interval=", "failures=on", "price=preemptible"}},
      {"servers", {"variable_update=parameter_server", "variable_update=distributed_replicated"}},
      {"server_placement", {"variable_update=parameter_server", "variable_update=distributed_replicated"}},
      {"horovod_cycle", {"exchange=horovod"}},
      {"fusion_buffer", {"exchange=horovod"}},
      {"horovod_cache", {"exchange=horovod"}},
  };
  return all;
}

// Two settings of which the second says that the first has no place; "key=" stands for any value.
struct Rivals {
  std::string given, other, why;
};

const std::vector<Rivals>& rivals() {
  static const std::string fuses = "Horovod fuses what its cycles find, up to fusion_buffer";
  static const std::string library = "is about NCCL";
  static const std::string servers = "the servers add up and update";
  static const std::vector<Rivals> all{
      {"bucket=", "exchange=horovod", fuses},
      {"first_bucket=", "exchange=horovod", fuses},
      {"overlap=off", "exchange=horovod", "Horovod exchanges beside the backward pass, there is no switch"},
      {"sharded_update=on", "exchange=horovod", "Horovod sums gradients in all-reduces"},
      {"variable_update=parameter_server", "exchange=horovod", "there are no parameter servers with Horovod"},
      {"variable_update=distributed_replicated", "exchange=horovod", "there are no parameter servers with Horovod"},
      {"weight_precision=", "sharded_update=off", "every rank has all new weights then"},
      {"sharded_update=on", "variable_update=parameter_server", servers},
      {"sharded_update=on", "variable_update=distributed_replicated", servers},
      {"algorithm=", "variable_update=parameter_server", servers},
      {"algorithm=", "variable_update=distributed_replicated", servers},
      {"local_parameter_device=", "variable_update=distributed_replicated", "every accelerator keeps the variables"},
      {"choice=nccl", "communicator=mpi", library},
      {"choice=nccl", "communicator=gloo", library},
      {"protocol=", "communicator=mpi", library},
      {"protocol=", "communicator=gloo", library},
  };
  return all;
}

bool is_given(const Settings& settings, const std::string& wanted) {
  const auto equals = wanted.find('=');
  const std::string value = setting(settings, wanted.substr(0, equals));
  return equals + 1 == wanted.size() ? !value.empty() : value == wanted.substr(equals + 1);
}

std::string place_of(const std::string& key, const std::string& value) {
  return fmt::format("--set {}={}", key, value);
}

}  // namespace

void check_company(const Settings& settings) {
  for (const auto& [key, company] : companies()) {
    const std::string value = setting(settings, key);
    const auto given = [&](const std::string& wanted) { return is_given(settings, wanted); };
    if (value.empty() || std::any_of(company.begin(), company.end(), given)) continue;
    std::vector<std::string> words = company;
    for (auto& word : words) word += word.back() == '=' ? "…" : "";
    throw InputError(place_of(key, value), fmt::format("changes nothing without {}", fmt::join(words, " or ")));
  }
  for (const auto& [given, other, why] : rivals()) {
    if (!is_given(settings, given) || !is_given(settings, other)) continue;
    const std::string key = given.substr(0, given.find('='));
    throw InputError(place_of(key, setting(settings, key)), fmt::format("does not go with {}: {}", other, why));
  }
  const std::string interval = setting(settings, "checkpoint_interval");
  if (!interval.empty() && is_given(settings, "checkpoint=off"))
    throw InputError(place_of("checkpoint_interval", interval), "changes nothing with checkpoint=off");
}

void check_stepwise(const Settings& settings) {
  for (const SettingKey& known : settings_keys()) {
    const auto found = settings.find(known.key);
    if (!known.of_job || found == settings.end()) continue;
    throw InputError(place_of(found->first, found->second),
                     "is about the job and what it costs, and changes nothing of a step; `mlsim predict` takes it");
  }
}

void check_jobless(const Settings& settings) {
  static constexpr std::array<std::string_view, 10> keys{
      "throughput",          "evaluation", "clock",    "failures",        "checkpoint",
      "checkpoint_interval", "billing",    "teardown", "preemption_rate", "restart_time"};
  for (const auto& [key, value] : settings) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) continue;
    throw InputError(place_of(key, value),
                     "is about a job, and nothing is known of the convergence of this workload; --set epochs=N gives "
                     "the job a length");
  }
}

}  // namespace mlsim::sim
