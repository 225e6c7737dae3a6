#include "sim/options/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/errors.hpp"
#include "core/split.hpp"
#include "core/units_text.hpp"
#include "sim/collectives/planner.hpp"
#include "sim/engine/fidelity.hpp"
#include "sim/parameter_server/server_choice.hpp"
#include "sim/parameter_server/tensor_placement.hpp"
#include "sim/stragglers/input_skew.hpp"
#include "sim/stragglers/jitter.hpp"
#include "topologies/billing.hpp"
#include "topologies/defects.hpp"
#include "topologies/network_file.hpp"
#include "topologies/price_list.hpp"
#include "topologies/prices.hpp"
#include "workloads/lowering/lowering.hpp"
#include "workloads/pipeline/schedule.hpp"
#include "workloads/split/embedding_split.hpp"

namespace mlsim::sim {
namespace {

struct Checked {
  SettingKey key;
  std::function<void(const std::string&)> check;  // throws InputError without a place
};

// What lies outside is a slip of the keyboard: no job takes longer, no store is slower or faster.
constexpr Seconds kShortest(1e-3), kLongest = hours(1e6);
constexpr BytesPerSecond kSlowest(1e3), kFastest(1e15);

template <class Q>
std::function<void(const std::string&)> quantity_between(Q least, Q most) {
  return [least, most](const std::string& value) {
    const Q quantity = parse_quantity<Q>(value);
    if (quantity < least || quantity > most)
      throw InputError(fmt::format("must be between {} and {}, not {}", to_text(least), to_text(most), value));
  };
}

const auto kTime = quantity_between(kShortest, kLongest);
const auto kTimeOrNone = quantity_between(Seconds(0), kLongest);
const auto kBandwidth = quantity_between(kSlowest, kFastest);

std::function<void(const std::string&)> number_between(double least, double most) {
  return [least, most](const std::string& value) {
    const double number = parse_number(value);
    if (number < least || number > most)
      throw InputError(fmt::format("must be between {:g} and {:g}, not {}", least, most, value));
  };
}

std::function<void(const std::string&)> one_of(std::vector<std::string> known) {
  return [known = std::move(known)](const std::string& value) {
    if (std::find(known.begin(), known.end(), value) == known.end())
      throw InputError(unknown_word("value", value, known));
  };
}

// A comma-separated list, each item checked.
template <class Parse>
std::function<void(const std::string&)> list_of(Parse parse) {
  return [parse](const std::string& value) {
    for (const auto& item : split(value, ',')) parse(item);
  };
}

void anything(const std::string&) {}

const auto kSwitch = one_of({"on", "off"});

using Theme = std::vector<Checked>;

Theme software_settings() {
  return {
      {{"stack", "NAME", "software stack whose speed to assume, as `mlsim list profiles` names them"}, anything},
      {{"optimizer", "sgd | momentum | nesterov | lars | adam | lamb | averaged_sgd | adagrad",
        "weight update; else the recipe's"},
       one_of(names<Optimizer>())},
      {{"multi_tensor", "on | off", "update all tensors in one kernel, else each in kernels of its own"}, kSwitch},
      {{"fusion", "on | off", "merge elementwise operators into their producers, else the framework's own operators"},
       kSwitch},
      {{"variable_update", "replicated | parameter_server | distributed_replicated",
        "where TensorFlow keeps variables"},
       one_of({"replicated", "parameter_server", "distributed_replicated"})},
      {{"local_parameter_device", "cpu | gpu", "where a TensorFlow box keeps its variables"}, one_of({"cpu", "gpu"})},
      {{"servers", "colocated | colocated:COUNT | COUNT",
        "parameter servers: on the host of every node, of so many nodes, or on hosts of their own"},
       [](const std::string& v) { parse_server_count(v); }},
      {{"server_placement", "round_robin | greedy | partitioned",
        "which server holds which variable: in turn, the emptiest, or all of them a part"},
       one_of(names<TensorPlacement>())},
  };
}

Theme memory_settings() {
  return {
      {{"recompute", "off | full", "repeated blocks keep only their inputs and run forward again"},
       one_of({"off", "full"})},
      {{"accumulation", "COUNT", "split a rank's batch into so many micro-batches whose gradients add up"},
       [](const std::string& v) {
         if (parse_count(v) > 65536) throw InputError("at most 65536 micro-batches");
       }},
      {{"sharded_update", "on | off", "each rank keeps the optimizer state of 1/N of the weights and updates these"},
       kSwitch},
  };
}

Theme exchange_settings() {
  return {
      {{"overlap", "on | off", "exchange gradients under the backward pass"}, kSwitch},
      {{"bucket", "SIZE", "gradients are exchanged in buckets of this size, \"25 MiB\""},
       [](const std::string& v) {
         if (parse_quantity<Bytes>(v).value < 1) throw InputError("a bucket holds at least 1 B");
       }},
      {{"first_bucket", "SIZE", "the first bucket closes at this size, to start early; else at 1 MiB at most"},
       [](const std::string& v) {
         if (parse_quantity<Bytes>(v).value < 1) throw InputError("a bucket holds at least 1 B");
       }},
      {{"exchange", "buckets | horovod", "gradients leave in buckets of a size, or as Horovod's cycles find them"},
       one_of({"buckets", "horovod"})},
      {{"horovod_cycle", "TIME",
        "between Horovod's looks for gradients; else 5 ms, its default until 0.20 (then 1 ms)"},
       quantity_between(Seconds(0), Seconds(10))},
      {{"fusion_buffer", "SIZE", "Horovod fuses up to so much; else 64 MiB, its default until 0.20 (then 128 MiB)"},
       quantity_between(Bytes(0), Bytes(1e12))},
      {{"horovod_cache", "on | off", "Horovod remembers what ranks agreed on (from 0.16.2), or asks rank 0 every time"},
       kSwitch},
      {{"choice", "quickest | nccl", "of algorithms: the quickest here, or what NCCL's own tuner would take"},
       one_of({"quickest", "nccl"})},
      {{"protocol", "auto | ll | ll128 | simple", "of NCCL on the wire; auto: Simple, with choice=nccl its tuner's"},
       one_of({"auto", "ll", "ll128", "simple"})},
      {{"gradient_precision", "fp32 | fp16 | bf16", "format of gradients on the wire"},
       one_of({"fp32", "fp16", "bf16"})},
      {{"weight_precision", "fp32 | fp16 | bf16", "format of the new weights that a sharded update gathers"},
       one_of({"fp32", "fp16", "bf16"})},
      {{"communicator", "nccl | mpi | gloo", "library between nodes; else NCCL on GPUs and Gloo on processors"},
       one_of(library_names())},
      {{"algorithm", "NAME", "collective algorithm, as `mlsim list collectives` names them"},
       one_of(algorithm_names())},
      {{"overlap_slowdown", "FRACTION",
        "kernels take longer by this fraction while gradients are exchanged beside them (0)"},
       number_between(0, 10)},
      {{"engine", "simgrid | max-min", "what moves the flows; max-min is our own solver, for thousands at once"},
       one_of(names<Engine>())},
  };
}

Theme parallelism_settings() {
  const auto count = [](const std::string& v) {
    if (parse_count(v) > 65536) throw InputError("at most 65536");
  };
  return {
      {{"mesh", "AXIS:DIMENSION[,…]",
        "where the axes lie, from the inside out: \"spatial:x,data:x,data:y\"; else the best"},
       anything},
      {{"batch_norm_group", "RANKS", "data-parallel ranks that take mean and variance together"}, count},
      {{"sequence_parallel", "on | off", "with tensor parallelism: split what lies between the matrices by tokens"},
       kSwitch},
      {{"pipeline_schedule", "gpipe | 1f1b | interleaved", "in which order stages run micro-batches; else 1f1b"},
       one_of(names<PipelineSchedule>())},
      {{"pipeline_chunks", "COUNT", "of layers on each stage, with pipeline_schedule=interleaved"}, count},
      {{"capacity", "NUMBER", "tokens that an expert takes, 1 for an even routing"}, number_between(1, 1000)},
      {{"table_placement", "automatic | table | column | row", "how embedding tables are cut over their ranks"},
       one_of(names<TableCut>())},
  };
}

Theme input_settings() {
  return {
      {{"data", "synthetic | real", "whether the input pipeline reads real data"}, one_of({"synthetic", "real"})},
      {{"decode", "host | accelerator", "where real data are decoded"}, one_of({"host", "accelerator"})},
      {{"storage_bandwidth", "RATE", "at which one host reads the dataset, \"100 MiB/s\""}, kBandwidth},
      {{"page_cache", "on | off", "whether a dataset that fits stays in the host's memory between epochs"}, kSwitch},
  };
}

// It also sets the batch and the update.
Theme recipe_settings() {
  return {
      {{"recipe", "NAME", "convergence recipe, as `mlsim list recipes` names them: samples to target against batch"},
       anything}};
}

Theme job_settings() {
  return {
      {{"epochs", "NUMBER", "train this many epochs instead of to the target; for any workload"},
       number_between(1e-6, 1e6)},
      {{"throughput", "NUMBER", "samples/s that you have measured, for job and cost in place of the simulated step's"},
       number_between(1e-6, 1e12)},
      {{"evaluation", "on | off", "evaluate while training, or train only"}, kSwitch},
      {{"clock", "mlperf | wall", "whether time to target leaves initialisation out or counts it"},
       one_of({"mlperf", "wall"})},
  };
}

Theme failure_settings() {
  return {
      {{"failures", "off | on", "let accelerators fail at the published rate"}, one_of({"off", "on"})},
      {{"time_between_failures", "TIME", "of one accelerator with its share of the system, \"50700 h\""}, kTime},
      {{"restart_time", "TIME", "from a failure or preemption to training on"}, kTimeOrNone},
      {{"preemption_rate", "NUMBER", "preemptions of one machine in an hour, with price=preemptible"},
       number_between(0, 3600)},
      {{"checkpoint", "auto | on | off", "write checkpoints; auto writes them where something may fail"},
       one_of({"auto", "on", "off"})},
      {{"checkpoint_interval", "TIME", "work between checkpoints; else Daly's optimum"}, kTime},
      {{"checkpoint_bandwidth", "RATE", "at which a checkpoint is written, \"1 GB/s\""}, kBandwidth},
  };
}

Theme price_settings() {
  return {
      {{"price", "on-demand | preemptible", "which price to pay"}, one_of({"on-demand", "preemptible"})},
      {{"price_date", "YYYY-MM[-DD]", "pay the price of that time instead of the newest; --price-date is the same"},
       [](const std::string& v) { parse_date_span(v); }},
      {{"price_region", "NAME", "pay the price of that region, as `mlsim list prices` names them"},
       [](const std::string& v) { one_of(price_regions())(v); }},  // the list is read when somebody asks
      {{"billing", "second | minute | hour", "what a provider rounds up to"}, one_of(names<Billing>())},
      {{"teardown", "TIME", "machines held after the clock, billed"}, kTimeOrNone},
  };
}

Theme defect_settings() {
  return {
      {{"slow_link", "A-B:FACTOR[,…]", "a link at a fraction of its rate, \"x0y0-x1y0:0.5\""},
       list_of(parse_slow_link)},
      {{"failed_link", "A-B[,…]", "a link that is down"}, list_of(parse_failed_link)},
      {{"slow_rank", "RANK:FACTOR[,…]", "an accelerator at a fraction of its speed, \"17:0.9\""},
       list_of(parse_slow_rank)},
  };
}

Theme straggler_settings() {
  return {
      {{"slow_host", "HOST:FACTOR[,…]", "all accelerators of a host at a fraction of their speed, \"3:0.8\""},
       list_of(parse_slow_host)},
      {{"speed_spread", "SHARE", "chips differ: standard deviation of their speed, drawn once for each --seed"},
       number_between(0, 0.3)},
      {{"jitter", "normal:SHARE | exponential:SHARE | lognormal:SHARE | samples:FILE",
        "steps differ: compute time of each rank and step, of mean 1 and that spread, or as in a file of step times"},
       parse_jitter},
      {{"input_skew", "normal:TIME | exponential:TIME | lognormal:TIME:SIGMA",
        "input comes late: delay of each host in each step"},
       parse_input_skew},
      {{"straggler_steps", "N", "steps to draw (200)"},
       [](const std::string& v) {
         if (parse_count(v) > 100'000) throw InputError(fmt::format("at most 100000 steps are drawn, not {}", v));
       }},
  };
}

const std::vector<Checked>& checked_keys() {
  static const auto keys = [] {
    std::vector<Checked> all;
    const auto add = [&all](const std::string& theme, Theme settings, bool of_job = false) {
      for (auto& setting : settings) {
        setting.key.theme = theme;
        setting.key.of_job = of_job;
        all.push_back(std::move(setting));
      }
    };
    add("Software", software_settings());
    add("Memory", memory_settings());
    add("Exchange of gradients", exchange_settings());
    add("Parallelism", parallelism_settings());
    add("Input", input_settings());
    add("Time to target", recipe_settings());
    add("Time to target", job_settings(), true);
    add("Failures and checkpoints", failure_settings(), true);
    add("Money", price_settings(), true);
    add("Defects of the machine", defect_settings());
    add("Stragglers", straggler_settings());
    return all;
  }();
  return keys;
}

}  // namespace

const std::vector<SettingKey>& settings_keys() {
  static const auto keys = [] {
    std::vector<SettingKey> all;
    for (const auto& checked : checked_keys()) all.push_back(checked.key);
    return all;
  }();
  return keys;
}

void check_settings(const Settings& settings) {
  for (const auto& [key, value] : settings) {
    const auto& known = checked_keys();
    const auto found =
        std::find_if(known.begin(), known.end(), [&wanted = key](const auto& k) { return k.key.key == wanted; });
    if (found == known.end()) {
      std::vector<std::string> names;
      for (const auto& k : known) names.push_back(k.key.key);
      throw InputError("--set", unknown_word("setting", key, names));
    }
    try {
      found->check(value);
    } catch (const InputError& e) {
      throw InputError(fmt::format("--set {}={}", key, value), e.reason());
    }
  }
}

Settings parse_settings(const std::string& text) {
  Settings settings;
  for (const auto& item : split(text, ';')) {
    const auto equals = item.find('=');
    const auto first = item.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    if (equals == std::string::npos || equals == first || equals + 1 == item.size()) {
      throw InputError("--set", fmt::format("\"{}\" is not of the form key=value", item.substr(0, 80)));
    }
    const std::string key = item.substr(first, equals - first);
    const std::string value = item.substr(equals + 1);
    const bool list = key == "slow_link" || key == "failed_link" || key == "slow_rank" || key == "slow_host";
    if (settings.contains(key) && !list) throw InputError("--set", fmt::format("\"{}\" is given twice", key));
    auto& slot = settings[key];
    slot = slot.empty() ? value : slot + "," + value;
  }
  check_settings(settings);
  return settings;
}

}  // namespace mlsim::sim
