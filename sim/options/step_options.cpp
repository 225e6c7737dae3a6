// These rows of the table tell how a step is run: software, layout, input, and defects.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>

#include "sim/options/option.hpp"
#include "sim/options/option_values.hpp"

namespace mlsim::sim {
namespace {

constexpr BytesPerSecond kSlowestStore(1e3), kFastestStore(1e15);  // beyond lies a slip of the keyboard

template <class... Steps>
auto software_member(Steps... steps) {
  return member(&Options::software, steps...);
}

OptionTheme kernel_options() {
  const auto at = [](auto step) { return software_member(step); };
  return {
      {.key = "fusion",
       .values = "on | off",
       .meaning = "merge elementwise operators into their producers, else the framework's own operators",
       .value = on_off(at(&SoftwareOptions::fusion)),
       .tells_apart = TellsApart::never},  // the pace of kernels is that of the kernels that ran
      {.key = "xla",
       .values = "BLOCK[,BLOCK…]",
       .meaning = "fuse in these blocks of the network alone, by the names of its file: tf.function(jit_compile=True)",
       .value = list_of(
           at(&SoftwareOptions::compiled_blocks), [](const std::string& block) { return block; },
           [](const std::string& block) { return block; }),
       .conflicts = {{"", "fusion=on", "that is of the whole step"}, {"", "fusion=off", "nothing is fused then"}},
       .tells_apart = TellsApart::never},  // as fusion
      {.key = "launch",
       .values = "eager | compiled | graphs",
       .meaning =
           "how kernels reach the accelerator: one by one, from a compiled program, or as a recorded graph; else "
           "as the software does",
       .value = word_of(at(&SoftwareOptions::launch), names<LaunchMode>()),
       .tells_apart = TellsApart::where_named},
      {"attention", "unfused | flash | flash-1",
       "kernels of attention: flash is one each way, which keep scores on chip; flash-1 is its first version of 2022",
       word_of(at(&SoftwareOptions::attention), names<AttentionKernels>())},
  };
}

OptionTheme guard_options() {
  const auto at = [](auto step) { return software_member(step); };
  const std::string server_updates = "the servers add up and update";
  const std::vector<OptionConflict> by_servers{{"", "variable_update=parameter_server", server_updates},
                                               {"", "variable_update=distributed_replicated", server_updates}};
  return {
      {.key = "loss_scaling",
       .values = "off | on",
       .meaning =
           "of gradients in 16 bits: they are divided again and checked before the update; on where GPUs train in "
           "fp16",
       .value = on_off(at(&SoftwareOptions::loss_scaling)),
       .conflicts = by_servers,
       .tells_apart = TellsApart::never},  // a small part of the update, as below
      {.key = "gradient_clipping",
       .values = "NORM",
       .meaning = "gradients are scaled down to this norm over all tensors; epochs are the recipe's",
       .value = number_between(at(&SoftwareOptions::gradient_clipping), 1e-9, 1e9),
       .conflicts = by_servers,
       .tells_apart = TellsApart::never},
  };
}

OptionTheme server_options() {
  const auto servers = [](auto step) { return software_member(&SoftwareOptions::servers, step); };
  const std::vector<std::string> with_servers{"variable_update=parameter_server",
                                              "variable_update=distributed_replicated"};
  return {
      {.key = "variable_update",
       .values = "replicated | parameter_server | distributed_replicated",
       .meaning = "where TensorFlow keeps variables",
       .value = word_of(servers(&ServerOptions::update), {"replicated", "parameter_server", "distributed_replicated"}),
       .conflicts = {{"parameter_server", "exchange=horovod", "there are no parameter servers with Horovod"},
                     {"distributed_replicated", "exchange=horovod", "there are no parameter servers with Horovod"}},
       .tells_apart = TellsApart::where_named},
      {.key = "local_parameter_device",
       .values = "cpu | gpu",
       .meaning = "where a TensorFlow box keeps its variables",
       .value = word_of(servers(&ServerOptions::device), {"cpu", "gpu"}),
       .needs = {"variable_update=parameter_server", "variable_update=replicated"},
       .conflicts = {{"cpu", "variable_update=replicated", "every accelerator keeps the variables"}},
       .tells_apart = TellsApart::never},  // as the two below: the exchange with servers is worked out, whoever ran
      {.key = "servers",
       .values = "colocated | colocated:COUNT | COUNT",
       .meaning = "parameter servers: on the host of every node, of so many nodes, or on hosts of their own",
       .value = value_of(
           servers(&ServerOptions::count), [](const std::string& t) { return parse_server_count(t); },
           [](const ServerCount& count) { return text(count); }),
       .needs = with_servers,
       .tells_apart = TellsApart::never},
      {.key = "server_placement",
       .values = "round_robin | greedy | partitioned",
       .meaning = "which server holds which variable: in turn, the emptiest, or all of them a part",
       .value = word_of(servers(&ServerOptions::placement), names<TensorPlacement>()),
       .needs = with_servers,
       .tells_apart = TellsApart::never},
  };
}

}  // namespace

OptionTheme software_options() {
  const auto at = [](auto step) { return software_member(step); };
  OptionTheme all{
      {.key = "stack",
       .values = "NAME",
       .meaning = "software stack whose speed to assume, as `mlsim list profiles` names them",
       .value = text_of(at(&SoftwareOptions::stack)),
       .tells_apart = TellsApart::by_stack},
      {.key = "year",
       .values = "YEAR",
       .meaning = "take the software on record of that year or the last before it; else of any year",
       .value = number_between(at(&SoftwareOptions::year), 2010, 2100),
       .conflicts = {{"", "stack=", "that names the software"}},
       .tells_apart = TellsApart::never},  // it chooses a stack, whose runs are told apart by that
      {.key = "optimizer",
       .values = "sgd | momentum | nesterov | lars | adam | lamb | averaged_sgd | adagrad",
       .meaning = "weight update; else the recipe's",
       .value = word_of(at(&SoftwareOptions::optimizer), names<Optimizer>()),
       .tells_apart = TellsApart::where_named},
      {.key = "multi_tensor",
       .values = "on | off",
       .meaning = "update all tensors in one kernel, else each in kernels of its own",
       .value = on_off(at(&SoftwareOptions::multi_tensor)),
       .tells_apart = TellsApart::never},  // the update is a small part of a step
  };
  for (OptionTheme& more : std::vector{kernel_options(), guard_options(), server_options()})
    all.insert(all.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
  return all;
}

namespace {

// Without a limit experts take what is routed to them, on average as many tokens each.
OptionValue capacity_value() {
  const OptionValue number = number_between(member(&Options::parallelism, &ParallelismOptions::capacity), 1, 1000);
  const auto read = [number](Options& options, const std::string& text) {
    number.parse(options, text == "dropless" ? "1" : text);
  };
  return {read, number.print};
}

}  // namespace

OptionTheme parallelism_options() {
  const auto at = [](auto step) { return member(&Options::parallelism, step); };
  const auto count = [at](auto step) { return count_up_to(at(step), 65536, "at most 65536"); };
  const std::vector<OptionConflict> by_hand{{"", "stages=balanced", "stages are cut by time then"},
                                            {"", "pipeline_schedule=gpipe", "GPipe cuts by operations"}};
  return {
      {"mesh", "AXIS:DIMENSION[,…]",
       "where the axes lie, from the inside out: \"spatial:x,data:x,data:y\"; else the best",
       text_of(at(&ParallelismOptions::mesh))},
      {"batch_norm_group", "RANKS", "data-parallel ranks that take mean and variance together",
       count(&ParallelismOptions::batch_norm_group)},
      {.key = "sequence_parallel",
       .values = "on | off",
       .meaning =
           "with tensor parallelism: split what lies between the matrices by tokens; else on for a language model",
       .value = on_off(at(&ParallelismOptions::sequence_parallel)),
       .axis = Axis::tensor},
      {.key = "pipeline_schedule",
       .values = fmt::format("{}", fmt::join(names<PipelineSchedule>(), " | ")),
       .meaning = "in which order stages run micro-batches; else 1f1b, with several chunks interleaved",
       .value = worded(at(&ParallelismOptions::pipeline_schedule)),
       .axis = Axis::pipeline},
      {.key = "pipeline_chunks",
       .values = "COUNT",
       .meaning = "of layers on each stage, whose passes are interleaved; 2 of zero-bubble-v",
       .value = count(&ParallelismOptions::pipeline_chunks),
       .axis = Axis::pipeline,
       .aliases = {{"interleave"}}},
      {.key = "stages",
       .values = "even | balanced",
       .meaning = "how layers are cut into stages: as many repetitions of the block each, or by time; else even where "
                  "one block is repeated",
       .value = worded(at(&ParallelismOptions::stages)),
       .conflicts = {{"", "pipeline_schedule=gpipe", "GPipe cuts by the operations of the forward pass"}},
       .axis = Axis::pipeline},
      {.key = "first_stage_layers",
       .values = "COUNT",
       .meaning = "repetitions of the block on the first stage; else as many as on the others",
       .value = count(&ParallelismOptions::first_stage_layers),
       .conflicts = by_hand,
       .axis = Axis::pipeline},
      {.key = "last_stage_layers",
       .values = "COUNT",
       .meaning = "likewise on the last stage",
       .value = count(&ParallelismOptions::last_stage_layers),
       .conflicts = by_hand,
       .axis = Axis::pipeline},
      {.key = "capacity",
       .values = "NUMBER | dropless",
       .meaning = "tokens that an expert takes; dropless, as 1, is an even routing of all",
       .value = capacity_value(),
       .axis = Axis::expert},
      {.key = "expert_overlap",
       .values = "on | off",
       .meaning = "tokens go to experts and back beside the kernels of another micro-batch "
                  "(--overlap-moe-expert-parallel-comm); else off",
       .value = on_off(at(&ParallelismOptions::expert_overlap)),
       .axis = Axis::expert},
      {.key = "dispatch",
       .values = "alltoall | by-node",
       .meaning = "tokens go to each of their experts, or once to each node that has some and on from there (DeepEP, "
                  "HybridEP); else by-node of tuned software on GPUs",
       .value = worded(at(&ParallelismOptions::dispatch)),
       .axis = Axis::expert},
      {.key = "tensor_overlap",
       .values = "on | off",
       .meaning =
           "exchanges between tensor ranks run beside the matrix products they belong to (--tp-comm-overlap); else on "
           "chips with fp8 by tuned software, but not by Megatron-LM",
       .value = on_off(at(&ParallelismOptions::tensor_overlap)),
       .axis = Axis::tensor},
      {.key = "pipeline_overlap",
       .values = "on | off",
       .meaning = "stages send beside their kernels (--overlap-p2p-communication); else on",
       .value = on_off(at(&ParallelismOptions::pipeline_overlap)),
       .axis = Axis::pipeline},
      {.key = "gather_overlap",
       .values = "on | off",
       .meaning =
           "new weights of a sharded optimizer are gathered under the next forward pass (--overlap-param-gather); "
           "else off",
       .value = on_off(at(&ParallelismOptions::gather_overlap)),
       .conflicts = {{"", "sharding=parameters", "they are gathered in each pass"}},
       .of_ranks = true,
       .needs_sharding = true},
      {.key = "context_exchange",
       .values = "ring | allgather | alltoall",
       .meaning =
           "how attention gets at the tokens of other context ranks: keys and values go round under its kernels, "
           "are gathered before, or heads are exchanged for tokens",
       .value = worded(at(&ParallelismOptions::context_exchange)),
       .axis = Axis::context},
      {.key = "table_placement",
       .values = "automatic | table | column | row",
       .meaning = "how embedding tables are cut over their ranks",
       .value = word_of(at(&ParallelismOptions::table_placement), names<TableCut>()),
       .axis = Axis::embedding},
  };
}

OptionTheme input_options() {
  const auto at = [](auto step) { return member(&Options::input, step); };
  return {
      {.key = "data",
       .values = "synthetic | real",
       .meaning = "whether the input pipeline reads real data",
       .value = word_of(at(&InputOptions::data), {"synthetic", "real"}),
       .tells_apart = TellsApart::where_named},
      {.key = "decode",
       .values = "host | accelerator",
       .meaning = "where real data are decoded",
       .value = word_of(at(&InputOptions::decode), {"host", "accelerator"}),
       .needs = {"data=real"},
       .tells_apart = TellsApart::never},  // as the two below: the wait for input is worked out beside the step
      {.key = "storage_bandwidth",
       .values = "RATE",
       .meaning = "at which one host reads the dataset, \"100 MiB/s\"",
       .value = quantity_between(at(&InputOptions::storage_bandwidth), kSlowestStore, kFastestStore),
       .needs = {"data=real"},
       .tells_apart = TellsApart::never},
      {.key = "page_cache",
       .values = "on | off",
       .meaning = "whether a dataset that fits stays in the host's memory between epochs",
       .value = on_off(at(&InputOptions::page_cache)),
       .needs = {"data=real"},
       .tells_apart = TellsApart::never},
  };
}

OptionTheme defect_options() {
  const auto at = [](auto step) { return member(&Options::defects, step); };
  const auto link = [](const Defects::SlowLink& l) { return fmt::format("{}-{}", l.from, l.to); };
  return {
      {.key = "slow_link",
       .values = "A-B:FACTOR[,…]",
       .meaning = "a link at a fraction of its rate, \"x0y0-x1y0:0.5\"",
       .value = list_of(at(&DefectOptions::slow_links), parse_slow_link,
                        [link](const auto& slow) { return fmt::format("{}:{}", link(slow), slow.factor); }),
       .adds_up = true},
      {.key = "failed_link",
       .values = "A-B[,…]",
       .meaning = "a link that is down",
       .value = list_of(at(&DefectOptions::failed_links), parse_failed_link, link),
       .adds_up = true},
      {.key = "slow_rank",
       .values = "RANK:FACTOR[,…]",
       .meaning = "an accelerator at a fraction of its speed, \"17:0.9\"",
       .value = list_of(at(&DefectOptions::slow_ranks), parse_slow_rank,
                        [](const auto& slow) { return fmt::format("{}:{}", slow.rank, slow.factor); }),
       .adds_up = true},
  };
}

OptionTheme straggler_options() {
  const auto at = [](auto step) { return member(&Options::stragglers, step); };
  return {
      {.key = "slow_host",
       .values = "HOST:FACTOR[,…]",
       .meaning = "all accelerators of a host at a fraction of their speed, \"3:0.8\"",
       .value = list_of(member(&Options::defects, &DefectOptions::slow_hosts), parse_slow_host,
                        [](const auto& slow) { return fmt::format("{}:{}", slow.host, slow.factor); }),
       .adds_up = true},
      {.key = "speed_spread",
       .values = "SHARE",
       .meaning = "chips differ: standard deviation of their speed, drawn once for each --seed",
       .value = number_between(at(&StragglerOptions::speed_spread), 0, 0.3),
       .subject = OptionSubject::many_steps},
      {.key = "jitter",
       .values = "normal:SHARE | exponential:SHARE | lognormal:SHARE | samples:FILE",
       .meaning =
           "steps differ: compute time of each rank and step, of mean 1 and that spread, or as in a file of step times",
       .value =
           value_of(at(&StragglerOptions::jitter), parse_jitter, [](const Jitter& jitter) { return text(jitter); }),
       .subject = OptionSubject::many_steps},
      {.key = "input_skew",
       .values = "normal:TIME | exponential:TIME | lognormal:TIME:SIGMA",
       .meaning = "input comes late: delay of each host in each step",
       .value = value_of(at(&StragglerOptions::input_skew), parse_input_skew,
                         [](const InputSkew& skew) { return text(skew); }),
       .subject = OptionSubject::many_steps},
      {.key = "straggler_steps",
       .values = "N",
       .meaning = fmt::format("steps to draw ({})", StragglerOptions().steps),
       .value = count_up_to(at(&StragglerOptions::steps), 100'000, "at most 100000 steps are drawn, not {}"),
       .needs = {"speed_spread=", "jitter=", "input_skew="},
       .subject = OptionSubject::many_steps},
  };
}

}  // namespace mlsim::sim
