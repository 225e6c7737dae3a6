// These rows of the table tell how gradients are exchanged.
#include <iterator>

#include "sim/collectives/planner.hpp"
#include "sim/options/option.hpp"
#include "sim/options/option_values.hpp"
#include "topologies/machine/machine_file.hpp"

namespace mlsim::sim {
namespace {

const std::vector<std::pair<std::string, Precision>> kWireFormats{
    {"fp32", Precision::fp32}, {"fp16", Precision::fp16}, {"bf16", Precision::bf16}};

// A bucket holds at least one byte.
template <class Member>
OptionValue bucket_size(Member at) {
  const auto read = [](const std::string& text) {
    const auto size = parse_quantity<Bytes>(text);
    if (size.value < 1) throw InputError("a bucket holds at least 1 B");
    return size;
  };
  return value_of(at, read, [](Bytes size) { return exact_text(size); });
}

// The value is NCCL's protocol, or none where its tuner chooses.
template <class Member>
OptionValue protocol_of(Member at) {
  const auto read = [](const std::string& text) -> std::optional<NcclProtocol> {
    std::vector<std::string> known{"auto"};
    known.insert(known.end(), names<NcclProtocol>().begin(), names<NcclProtocol>().end());
    if (std::find(known.begin(), known.end(), text) == known.end())
      throw InputError(unknown_word("value", text, known));
    return text == "auto" ? std::nullopt : std::optional(parse<NcclProtocol>(text));
  };
  const auto write = [](NcclProtocol protocol) { return names<NcclProtocol>()[static_cast<std::size_t>(protocol)]; };
  return value_of(at, read, write);
}

OptionTheme horovod_options() {
  const auto at = [](auto step) { return member(&Options::exchange, &ExchangeOptions::horovod, step); };
  const HorovodOptions usual;
  return {
      {"horovod_cycle",
       "TIME",
       fmt::format("between Horovod's looks for gradients; else {:g} ms, its default until 0.20 (then 1 ms)",
                   usual.cycle / milliseconds(1)),
       quantity_between(at(&HorovodOptions::cycle), Seconds(0), Seconds(10)),
       {"exchange=horovod"}},
      {"fusion_buffer",
       "SIZE",
       fmt::format("Horovod fuses up to so much; else {:g} MiB, its default until 0.20 (then 128 MiB)",
                   usual.buffer / mebibytes(1)),
       quantity_between(at(&HorovodOptions::buffer), Bytes(0), Bytes(1e12)),
       {"exchange=horovod"}},
      {"horovod_cache",
       "on | off",
       "Horovod remembers what ranks agreed on (from 0.16.2), or asks rank 0 every time",
       on_off(at(&HorovodOptions::cache)),
       {"exchange=horovod"}},
  };
}

OptionTheme bucket_options() {
  const auto at = [](auto step) { return member(&Options::exchange, step); };
  const std::string fuses = "Horovod fuses what its cycles find, up to fusion_buffer";
  return {
      {.key = "overlap",
       .values = "on | off",
       .meaning = "exchange gradients under the backward pass",
       .value = on_off(at(&ExchangeOptions::overlap)),
       .conflicts = {{"off", "exchange=horovod", "Horovod exchanges beside the backward pass, there is no switch"}}},
      {.key = "bucket",
       .values = "SIZE",
       .meaning = "gradients are exchanged in buckets of this size, \"25 MiB\"",
       .value = bucket_size(at(&ExchangeOptions::bucket)),
       .conflicts = {{"", "exchange=horovod", fuses}}},
      {.key = "first_bucket",
       .values = "SIZE",
       .meaning = "the first bucket closes at this size, to start early; else at 1 MiB at most",
       .value = bucket_size(at(&ExchangeOptions::first_bucket)),
       .conflicts = {{"", "exchange=horovod", fuses}}},
      {.key = "pipelined_summation",
       .values = "on | off",
       .meaning = "gather gradients from their tensors while they are summed, else copy them to one buffer and back",
       .value = on_off(at(&ExchangeOptions::pipelined_summation)),
       .conflicts = {{"", "exchange=horovod", "Horovod copies into its fusion buffer and back"},
                     {"", "variable_update=parameter_server", "servers take each variable by itself"},
                     {"", "variable_update=distributed_replicated", "servers take each variable by itself"}},
       .tells_apart = TellsApart::where_named},
      {"exchange", "buckets | horovod", "gradients leave in buckets of a size, or as Horovod's cycles find them",
       word_of(at(&ExchangeOptions::by), {"buckets", "horovod"})},
  };
}

OptionTheme library_options() {
  const auto at = [](auto step) { return member(&Options::exchange, step); };
  const std::string library = "is about NCCL", servers = "the servers add up and update";
  return {
      {.key = "choice",
       .values = "quickest | nccl",
       .meaning = "of algorithms: the quickest here, or what NCCL's own tuner would take",
       .value = word_of(at(&ExchangeOptions::choice), {"quickest", "nccl"}),
       .conflicts = {{"nccl", "communicator=mpi", library}, {"nccl", "communicator=gloo", library}}},
      {.key = "protocol",
       .values = "auto | ll | ll128 | simple",
       .meaning = "of NCCL on the wire; auto: Simple, with choice=nccl its tuner's",
       .value = protocol_of(at(&ExchangeOptions::protocol)),
       .conflicts = {{"", "communicator=mpi", library}, {"", "communicator=gloo", library}}},
      {"gradient_precision", "fp32 | fp16 | bf16",
       "format in which gradients are sent; of a language model in bf16 and fp8 also kept, else fp32",
       spelled(at(&ExchangeOptions::gradient_precision), kWireFormats)},
      {.key = "weight_precision",
       .values = "fp32 | fp16 | bf16",
       .meaning = "format of the weights that ranks which share out state gather",
       .value = spelled(at(&ExchangeOptions::weight_precision), kWireFormats),
       .needs_sharding = true},
      {.key = "communicator",
       .values = "nccl | mpi | gloo",
       .meaning = "library between nodes; else NCCL on GPUs and Gloo on processors",
       .value = text_of(at(&ExchangeOptions::communicator), [] { return library_names(); }),
       .of_collective = true},
      {.key = "algorithm",
       .values = "NAME",
       .meaning = "collective algorithm, as `mlsim list collectives` names them",
       .value = text_of(at(&ExchangeOptions::algorithm), algorithm_names),
       .conflicts = {{"", "variable_update=parameter_server", servers},
                     {"", "variable_update=distributed_replicated", servers}},
       .of_collective = true},
      {.key = "overlap_slowdown",
       .values = "FRACTION",
       .meaning = fmt::format("kernels take longer by this fraction while gradients are exchanged beside them ({:g})",
                              ExchangeOptions().overlap_slowdown),
       .value = number_between(at(&ExchangeOptions::overlap_slowdown), 0, 10),
       .needs_overlap = true},
      {.key = "engine",
       .values = "simgrid | max-min",
       .meaning = "what moves the flows; max-min is our own solver, for thousands at once",
       .value = word_of(at(&ExchangeOptions::engine), names<Engine>()),
       .of_collective = true},
  };
}

}  // namespace

OptionTheme exchange_options() {
  OptionTheme all = bucket_options();
  for (OptionTheme& more : std::vector{horovod_options(), library_options()})
    all.insert(all.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
  for (Option& option : all) option.of_ranks = option.key != "engine";
  return all;
}

}  // namespace mlsim::sim
