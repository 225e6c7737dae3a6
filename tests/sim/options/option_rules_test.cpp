#include "sim/options/option_rules.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/options/option.hpp"
#include "sim/options/options_text.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string refusal(const std::function<void(const Options&)>& check, const std::string& text) {
  try {
    check(parse_options(text));
  } catch (const InputError& e) {
    return e.what();
  }
  return "taken";
}

// "data=real", or "jitter=" for any value, names an option and one of its values.
void check_condition(const std::string& condition) {
  INFO(condition);
  const auto equals = condition.find('=');
  REQUIRE(equals != std::string::npos);
  Options options;
  const Option& option = find_option(condition.substr(0, equals));
  if (const std::string value = condition.substr(equals + 1); !value.empty())
    CHECK_NOTHROW(option.value.parse(options, value));
}

}  // namespace

TEST_CASE("options that miss what they need, or exclude each other, are refused with the reason") {
  const std::vector<std::pair<std::string, std::string>> refused{
      {"decode=host", "--set decode=host: changes nothing without data=real"},
      {"decode=host;data=synthetic", "--set decode=host: changes nothing without data=real"},
      {"storage_bandwidth=1 GB/s", "--set storage_bandwidth=1 GB/s: changes nothing without data=real"},
      {"page_cache=on", "--set page_cache=on: changes nothing without data=real"},
      {"preemption_rate=0.5", "--set preemption_rate=0.5: changes nothing without price=preemptible"},
      {"straggler_steps=200",
       "--set straggler_steps=200: changes nothing without speed_spread=… or jitter=… or input_skew=…"},
      {"restart_time=5 min", "--set restart_time=5 min: changes nothing without failures=on or price=preemptible"},
      {"time_between_failures=5 h",
       "--set time_between_failures=5 h: changes nothing without failures=on or checkpoint=on"},
      {"checkpoint_bandwidth=5 GB/s",
       "--set checkpoint_bandwidth=5 GB/s: changes nothing without checkpoint=on or checkpoint_interval=… or "
       "failures=on or price=preemptible"},
      {"servers=4",
       "--set servers=4: changes nothing without variable_update=parameter_server or "
       "variable_update=distributed_replicated"},
      {"server_placement=greedy;variable_update=replicated",
       "--set server_placement=greedy: changes nothing without variable_update=parameter_server or "
       "variable_update=distributed_replicated"},
      {"horovod_cycle=1 ms", "--set horovod_cycle=1 ms: changes nothing without exchange=horovod"},
      {"fusion_buffer=1 MiB;exchange=buckets", "--set fusion_buffer=1 MiB: changes nothing without exchange=horovod"},
      {"horovod_cache=on", "--set horovod_cache=on: changes nothing without exchange=horovod"},
      {"bucket=1 MiB;exchange=horovod",
       "--set bucket=1 MiB: does not go with exchange=horovod: Horovod fuses what its cycles find, up to "
       "fusion_buffer"},
      {"first_bucket=1 MiB;exchange=horovod",
       "--set first_bucket=1 MiB: does not go with exchange=horovod: Horovod fuses what its cycles find, up to "
       "fusion_buffer"},
      {"overlap=off;exchange=horovod",
       "--set overlap=off: does not go with exchange=horovod: Horovod exchanges beside the backward pass, there is no "
       "switch"},
      {"sharded_update=on;exchange=horovod",
       "--set sharding=optimizer: does not go with exchange=horovod: Horovod sums gradients in all-reduces"},
      {"variable_update=parameter_server;exchange=horovod",
       "--set variable_update=parameter_server: does not go with exchange=horovod: there are no parameter servers with "
       "Horovod"},
      {"variable_update=distributed_replicated;exchange=horovod",
       "--set variable_update=distributed_replicated: does not go with exchange=horovod: there are no parameter "
       "servers with Horovod"},
      {"sharded_update=on;variable_update=parameter_server",
       "--set sharding=optimizer: does not go with variable_update=parameter_server: the servers add up and update"},
      {"sharded_update=on;variable_update=distributed_replicated",
       "--set sharding=optimizer: does not go with variable_update=distributed_replicated: the servers add up and "
       "update"},
      {"algorithm=ring;variable_update=parameter_server",
       "--set algorithm=ring: does not go with variable_update=parameter_server: the servers add up and update"},
      {"algorithm=ring;variable_update=distributed_replicated",
       "--set algorithm=ring: does not go with variable_update=distributed_replicated: the servers add up and update"},
      {"local_parameter_device=cpu;variable_update=distributed_replicated",
       "--set local_parameter_device=cpu: changes nothing without variable_update=parameter_server or "
       "variable_update=replicated"},
      {"local_parameter_device=cpu",
       "--set local_parameter_device=cpu: changes nothing without variable_update=parameter_server or "
       "variable_update=replicated"},
      {"local_parameter_device=cpu;variable_update=replicated",
       "--set local_parameter_device=cpu: does not go with variable_update=replicated: every accelerator keeps the "
       "variables"},
      {"choice=nccl;communicator=mpi", "--set choice=nccl: does not go with communicator=mpi: is about NCCL"},
      {"choice=nccl;communicator=gloo", "--set choice=nccl: does not go with communicator=gloo: is about NCCL"},
      {"protocol=auto;communicator=mpi", "--set protocol=auto: does not go with communicator=mpi: is about NCCL"},
      {"protocol=ll;communicator=gloo", "--set protocol=ll: does not go with communicator=gloo: is about NCCL"},
      {"checkpoint_interval=5 min;checkpoint=off",
       "--set checkpoint_interval=5 min: changes nothing with checkpoint=off"},
  };
  for (const auto& [text, reason] : refused) CHECK(refusal(check_combinations, text) == reason);
}

TEST_CASE("options that go together are taken") {
  for (const std::string text :
       {"", "local_parameter_device=gpu;variable_update=replicated", "decode=host;data=real",
        "checkpoint_bandwidth=1 GB/s;checkpoint_interval=5 min", "overlap=on;exchange=horovod;horovod_cycle=1 ms",
        "bucket=1 MiB;first_bucket=1 MiB;exchange=buckets", "choice=nccl;communicator=nccl",
        "straggler_steps=10;jitter=normal:0.1"})
    CHECK(refusal(check_combinations, text) == "taken");
}

TEST_CASE("values that were not given as text keep to the same rules") {
  Options options;
  options.input.decode = DecodePlace::host;
  CHECK_THROWS_WITH(check_combinations(options), "--set decode=host: changes nothing without data=real");
  options.input.data = InputData::real;
  CHECK_NOTHROW(check_combinations(options));
}

TEST_CASE("what needs an end of the job is refused where there is none, other options are not") {
  const auto jobless = [](const Options& options) { check_jobless(options); };
  CHECK(refusal(jobless, "billing=hour") ==
        "--set billing=hour: is about a job, and nothing is known of the convergence of this workload; --set epochs=N "
        "gives the job a length, of a language model tokens=N too");
  CHECK(refusal(jobless, "data=real;price=preemptible") == "taken");
  CHECK(refusal(jobless, "failures=on") != "taken");
  CHECK(refusal([](const Options& options) { check_jobless(options, true); }, "failures=on;spares=4") == "taken");
  for (const Option& option : option_table()) {
    INFO(option.key);
    CHECK((!option.needs_end || option.subject == OptionSubject::job));
    const bool length =
        option.key == "epochs" || option.key == "tokens" || option.key == "samples" || option.key == "steps";
    const bool power = option.key == "pue" || option.key == "carbon_intensity" || option.key == "load";
    const bool money = option.key.find("price") != std::string::npos,
               beside_another = !option.needs.empty() && !option.needs_end;
    if (option.subject == OptionSubject::job) CHECK(option.needs_end == !(money || power || beside_another || length));
  }
}

TEST_CASE("options of a spread, of a step and of an axis are refused where these are not") {
  const auto one_step = [](const Options& options) { check_one_step(options); };
  CHECK_THAT(refusal(one_step, "jitter=normal:0.1"), ContainsSubstring("is drawn anew for every step"));
  CHECK(refusal(one_step, "slow_host=1:0.5") == "taken");
  CHECK(refusal(check_collective, "data=real") ==
        "--set data=real: changes nothing for a collective by itself, which takes communicator, algorithm and engine");
  CHECK(refusal(check_collective, "communicator=mpi;algorithm=ring;engine=max-min") == "taken");
  CHECK_THROWS_WITH(check_axes(parse_options("capacity=1.50"), data_parallel(8)),
                    "--set capacity=1.50: changes nothing without --parallelism expert=N");
  CHECK_THROWS_WITH(check_axes(parse_options("mesh=data:x"), data_parallel(8)),
                    "--set mesh=data:x: changes nothing where data is the only axis");
  Parallelism experts = data_parallel(8);
  experts[Axis::expert] = 2;
  CHECK_NOTHROW(check_axes(parse_options("capacity=1.50;mesh=expert:x,data:y"), experts));
}

TEST_CASE("options of exchanges are refused where a step has none of their sort, and named on one accelerator") {
  StepPlan step;
  step.overlap = false;
  const auto of_step = [&](const Options& options) { check_exchanges(options, step); };
  const std::string unshared =
      ": changes nothing without sharding=optimizer, gradients or parameters on several data ranks";
  for (const std::string text : {"gather_overlap=on", "sharding_ranks=node", "weight_precision=bf16"})
    CHECK(refusal(of_step, text) == "--set " + text + unshared);
  CHECK_THAT(refusal(of_step, "overlap_slowdown=0.5"), ContainsSubstring("behind the backward pass"));
  step.sharding = StateSharding::optimizer;
  step.overlap = true;
  CHECK(refusal(of_step, "gather_overlap=on;sharding_ranks=node;overlap_slowdown=0.5") == "taken");
  CHECK(idle_alone(parse_options("bucket=1 MiB;data=real;overlap=off")) ==
        "one accelerator exchanges nothing: without effect are bucket=1 MiB, overlap=off");
  CHECK(idle_alone(parse_options("data=real")).empty());
}

TEST_CASE("what an option needs or excludes is an option with that value") {
  for (const Option& option : option_table()) {
    for (const auto& need : option.needs) check_condition(need);
    for (const auto& conflict : option.conflicts) {
      check_condition(option.key + "=" + conflict.value);
      check_condition(conflict.other);
    }
  }
}
