#include "sim/options/options_text.hpp"
#include "sim/options/parsed_anchor.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "scratch_folder.hpp"
#include "sim/options/option.hpp"
#include "workloads/lowering/lowering.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// Texts of every key that are not its default.
std::vector<std::pair<std::string, std::string>> texts(const std::string& samples) {
  return {{"stack", "mlperf-v0.7"},
          {"optimizer", "lamb"},
          {"multi_tensor", "off"},
          {"fusion", "off"},
          {"variable_update", "distributed_replicated"},
          {"local_parameter_device", "cpu"},
          {"servers", "colocated:6"},
          {"servers", "4"},
          {"server_placement", "partitioned"},
          {"xla", "encoder,embeddings"},
          {"loss_scaling", "on"},
          {"gradient_clipping", "5"},
          {"attention", "flash"},
          {"recompute", "selective"},
          {"recompute", "selective:4"},
          {"recompute", "mlp+layernorm"},
          {"recompute", "core_attn+moe_act+mla_up_proj:2"},
          {"recompute", "full:3"},
          {"recompute", "full"},
          {"accumulation", "4"},
          {"sharding", "none"},
          {"sharding", "parameters"},
          {"sharding_ranks", "node"},
          {"sharding_ranks", "8"},
          {"reshard", "off"},
          {"offload", "0.25"},
          {"offload", "optimizer"},
          {"offload", "0.5+optimizer"},
          {"overlap", "on"},
          {"bucket", "25 MiB"},
          {"first_bucket", "1 KiB"},
          {"pipelined_summation", "off"},
          {"exchange", "horovod"},
          {"horovod_cycle", "1 ms"},
          {"fusion_buffer", "128 MiB"},
          {"horovod_cache", "off"},
          {"choice", "nccl"},
          {"protocol", "ll128"},
          {"gradient_precision", "bf16"},
          {"weight_precision", "fp16"},
          {"communicator", "mpi"},
          {"algorithm", "ring"},
          {"overlap_slowdown", "0.15"},
          {"engine", "max-min"},
          {"mesh", "spatial:x,data:x,data:y"},
          {"batch_norm_group", "16"},
          {"sequence_parallel", "on"},
          {"pipeline_schedule", "interleaved"},
          {"pipeline_chunks", "3"},
          {"stages", "balanced"},
          {"first_stage_layers", "3"},
          {"last_stage_layers", "2"},
          {"expert_overlap", "on"},
          {"dispatch", "by-node"},
          {"tensor_overlap", "on"},
          {"pipeline_overlap", "off"},
          {"gather_overlap", "on"},
          {"context_exchange", "alltoall"},
          {"capacity", "1.25"},
          {"table_placement", "row"},
          {"data", "real"},
          {"decode", "accelerator"},
          {"storage_bandwidth", "117 MB/s"},
          {"page_cache", "off"},
          {"recipe", "v0.6-lars"},
          {"target", "76 %"},
          {"target_loss", "0.2828"},
          {"learning_rate", "0.02"},
          {"epochs", "2.5"},
          {"tokens", "15000000000000"},
          {"overrun", "0.25"},
          {"samples", "1000"},
          {"steps", "500000"},
          {"year", "2019"},
          {"launch", "graphs"},
          {"pue", "1.5"},
          {"carbon_intensity", "0.1"},
          {"load", "0.8"},
          {"throughput", "5000"},
          {"evaluation", "off"},
          {"clock", "wall"},
          {"failures", "on"},
          {"time_between_failures", "1600 h"},
          {"restart_time", "0 s"},
          {"spares", "4"},
          {"repair_time", "24 h"},
          {"preemption_rate", "0.05"},
          {"checkpoint", "off"},
          {"checkpoint_interval", "30 min"},
          {"checkpoint_bandwidth", "100 MB/s"},
          {"price", "preemptible"},
          {"price_date", "2018-12"},
          {"price_date", "2018-12-03"},
          {"price_region", "us-central1"},
          {"own_price", "p5=98USD/h"},
          {"own_price", "p5:nodes=4=2 USD/h/accelerator:preemptible,h100=1 USD/s"},
          {"billing", "hour"},
          {"teardown", "2 min"},
          {"slow_link", "x0y0-x1y0:0.5,x1y0-x2y0:0.25"},
          {"failed_link", "gpu0-gpu3,gpu1-gpu2"},
          {"slow_rank", "17:0.9,3:0.5"},
          {"slow_host", "3:0.8"},
          {"speed_spread", "0.02"},
          {"jitter", "lognormal:0.05"},
          {"jitter", "samples:" + samples},
          {"input_skew", "lognormal:2 ms:0.5"},
          {"input_skew", "exponential:5 ms"},
          {"straggler_steps", "1000"}};
}

std::string refusal(const std::string& text) {
  try {
    parse_options(text);
  } catch (const InputError& e) {
    return e.what();
  }
  return "taken";
}

}  // namespace

TEST_CASE("settings are read from one line") {
  const Options options = parse_options("stack=mlperf-v0.7; data=real;");
  CHECK(options.software.stack == "mlperf-v0.7");
  CHECK(options.input.data == InputData::real);
  CHECK(settings_of(options) == Settings{{"stack", "mlperf-v0.7"}, {"data", "real"}});
}

TEST_CASE("a run of a profile may name its split beside its settings") {
  Anchor anchor;
  anchor.settings = {{"parallelism", "tensor=4"}, {"accumulation", "2"}};
  const ParsedAnchor run(anchor);
  CHECK(run.parallelism == "tensor=4");
  CHECK(run.options.memory.accumulation == 2);
}

TEST_CASE("every key is read into options of its own and printed so that the text is read as the same again") {
  const ScratchFolder folder;
  folder.file("steps.txt", "1\n2\n");
  const auto all = texts((folder.path() / "steps.txt").string());
  for (const auto& [key, text] : all) {
    INFO(key << "=" << text);
    const Options options = options_of({{key, text}});
    CHECK_FALSE(options == Options());
    CHECK(settings_of(options) == Settings{{key, text}});
    Options nameless = options;
    nameless.given.clear();
    const Settings printed = settings_of(nameless);
    REQUIRE(printed.size() == 1);
    CHECK(options_of(printed) == options);
  }
  for (const Option& option : option_table()) {
    INFO(option.key);
    CHECK(std::any_of(all.begin(), all.end(), [&](const auto& given) { return given.first == option.key; }));
  }
}

TEST_CASE("an answer shows a value as it was given while it stands, and afterwards as it is") {
  Options options = parse_options("bucket=25 MiB");
  CHECK(settings_of(options).at("bucket") == "25 MiB");
  options.exchange.bucket = Bytes(1000);
  CHECK(settings_of(options).at("bucket") == "1000 B");
  options.exchange.bucket.reset();
  CHECK(settings_of(options).empty());
}

TEST_CASE("a default that was given is shown and asks for nothing else") {
  const Options options = parse_options("page_cache=on;straggler_steps=200;protocol=auto");
  CHECK(settings_of(options) == Settings{{"page_cache", "on"}, {"straggler_steps", "200"}, {"protocol", "auto"}});
  CHECK(options == Options());
}

TEST_CASE("defects may be given several times and add up") {
  CHECK(settings_of(parse_options("slow_rank=1:0.5;slow_rank=2:0.9")).at("slow_rank") == "1:0.5,2:0.9");
  const Defects all = parse_options("failed_link=a-b;slow_link=c-d:0.5;slow_host=1:0.9").defects.all();
  CHECK(all.links == std::vector<Defects::SlowLink>{{"c", "d", 0.5}, {"a", "b", 0}});
  CHECK(all.hosts == std::vector<Defects::SlowHost>{{1, 0.9}});
}

TEST_CASE("an unknown key, a text without a value and a key given twice are named") {
  CHECK(refusal("checkpont=on") == "--set: unknown setting \"checkpont\"; did you mean \"checkpoint\"?");
  CHECK(refusal("stak=x") == "--set: unknown setting \"stak\"; did you mean \"stack\"?");
  CHECK(refusal("data") == "--set: \"data\" is not of the form key=value");
  CHECK(refusal("data=") == "--set: \"data=\" is not of the form key=value");
  CHECK(refusal("=real") == "--set: \"=real\" is not of the form key=value");
  CHECK(refusal("data=real;data=real") == "--set: \"data\" is given twice");
}

TEST_CASE("an axis that is set is refused with where it belongs, and dropless is a capacity of 1") {
  for (const std::string word : {"tensor", "pp", "mbs", "micro_batches"})
    CHECK(refusal(word + "=4") ==
          "--set " + word + ": is no setting but an axis or count of --parallelism " + word + "=N");
  CHECK(parse_options("capacity=dropless").parallelism.capacity == 1);
}

TEST_CASE("what a question says elsewhere is refused with where that is") {
  CHECK(refusal("precision=fp8") == "--set precision: is no setting but an option: --precision NAME");
  CHECK(refusal("batch=8") == "--set batch: is no setting but an option: --global-batch N");
  CHECK(refusal("layers=3") == "--set layers: is no setting but a parameter of the workload: --workload NAME:layers=N");
}

TEST_CASE("a wrong value is refused with what would be right") {
  const std::vector<std::pair<std::string, std::string>> refused{
      {"optimizer=admw", "unknown value \"admw\"; did you mean \"adam\"?"},
      {"multi_tensor=maybe", "unknown value \"maybe\"; known: on, off"},
      {"fusion=0", "unknown value \"0\"; did you mean \"on\"?"},
      {"variable_update=paramter_server", "unknown value \"paramter_server\"; did you mean \"parameter_server\"?"},
      {"local_parameter_device=tpu", "unknown value \"tpu\"; did you mean \"cpu\"?"},
      {"servers=none", "\"none\" is not a whole number"},
      {"servers=colocated:0", "0 is below the smallest possible value, 1"},
      {"servers=0", "0 is below the smallest possible value, 1"},
      {"servers=100000", "at most 65536 servers"},
      {"server_placement=gredy", "unknown value \"gredy\"; did you mean \"greedy\"?"},
      {"attention=flsh", "unknown value \"flsh\"; did you mean \"flash\"?"},
      {"recompute=ful", "unknown value \"ful\"; did you mean \"full\"?"},
      {"recompute=core_attn+mlpp", "unknown value \"mlpp\"; did you mean \"mlp\"?"},
      {"offload=0.2+0.3", "\"0.2+0.3\" says twice what is offloaded of the activations"},
      {"offload=optimizer+optimizer", "\"optimizer+optimizer\" says twice what is offloaded of the optimizer's state"},
      {"offload=optimizr", "unknown value \"optimizr\"; did you mean \"optimizer\"?"},
      {"offload=1.5", "a share of the activations is between 0 and 1, not 1.5"},
      {"recompute=off:3", "nothing runs again in \"off:3\", so in no number of blocks"},
      {"accumulation=0", "0 is below the smallest possible value, 1"},
      {"accumulation=1.5", "\"1.5\" is not a whole number"},
      {"accumulation=100000", "at most 65536 micro-batches"},
      {"sharded_update=yes", "unknown value \"yes\"; known: on, off"},
      {"overlap=onn", "unknown value \"onn\"; did you mean \"on\"?"},
      {"bucket=25", "\"25\" has no unit; a size is written like \"25 GB\""},
      {"bucket=0.5 B", "a bucket holds at least 1 B"},
      {"first_bucket=0 B", "a bucket holds at least 1 B"},
      {"exchange=horovd", "unknown value \"horovd\"; did you mean \"horovod\"?"},
      {"horovod_cycle=-1 ms", "must be between 0 s and 10.0 s, not -1 ms"},
      {"horovod_cycle=11 s", "must be between 0 s and 10.0 s, not 11 s"},
      {"fusion_buffer=2 TB", "must be between 0.00 B and 931 GiB, not 2 TB"},
      {"horovod_cache=yes", "unknown value \"yes\"; known: on, off"},
      {"choice=quick", "unknown value \"quick\"; there are quickest"},
      {"protocol=ll64", "unknown value \"ll64\"; did you mean \"ll\"?"},
      {"gradient_precision=fp8", "unknown value \"fp8\"; did you mean \"fp32\"?"},
      {"weight_precision=fp61", "unknown value \"fp61\"; did you mean \"fp16\"?"},
      {"communicator=ncl", "unknown value \"ncl\"; did you mean \"nccl\"?"},
      {"overlap_slowdown=-1", "must be between 0 and 10, not -1"},
      {"overlap_slowdown=11", "must be between 0 and 10, not 11"},
      {"engine=simgird", "unknown value \"simgird\"; did you mean \"simgrid\"?"},
      {"batch_norm_group=0", "0 is below the smallest possible value, 1"},
      {"batch_norm_group=70000", "at most 65536"},
      {"sequence_parallel=yes", "unknown value \"yes\"; known: on, off"},
      {"pipeline_schedule=gpip", "unknown value \"gpip\"; did you mean \"gpipe\"?"},
      {"pipeline_chunks=0", "0 is below the smallest possible value, 1"},
      {"pipeline_chunks=70000", "at most 65536"},
      {"capacity=0.5", "must be between 1 and 1000, not 0.5"},
      {"capacity=1001", "must be between 1 and 1000, not 1001"},
      {"table_placement=rows", "unknown value \"rows\"; did you mean \"row\"?"},
      {"data=reel", "unknown value \"reel\"; did you mean \"real\"?"},
      {"decode=hst", "unknown value \"hst\"; did you mean \"host\"?"},
      {"storage_bandwidth=1 B/s", "must be between 1.00 kB/s and 1000 TB/s, not 1 B/s"},
      {"storage_bandwidth=1 GB", "\"1 GB\": unknown unit of a bandwidth \"GB\"; did you mean \"GB/s\"?"},
      {"page_cache=maybe", "unknown value \"maybe\"; known: on, off"},
      {"epochs=-1", "must be between 1e-06 and 1e+06, not -1"},
      {"epochs=inf", "\"inf\" does not start with a finite number"},
      {"throughput=0", "must be between 1e-06 and 1e+12, not 0"},
      {"throughput=1e300", "must be between 1e-06 and 1e+12, not 1e300"},
      {"evaluation=maybe", "unknown value \"maybe\"; known: on, off"},
      {"clock=mlperff", "unknown value \"mlperff\"; did you mean \"mlperf\"?"},
      {"failures=of", "unknown value \"of\"; did you mean \"off\"?"},
      {"time_between_failures=0 h", "must be between 1.00 ms and 1000000 h, not 0 h"},
      {"restart_time=-1 s", "must be between 0 s and 1000000 h, not -1 s"},
      {"restart_time=10", "\"10\" has no unit; a time is written like \"10 s\""},
      {"preemption_rate=1e9", "must be between 0 and 3600, not 1e9"},
      {"checkpoint=atuo", "unknown value \"atuo\"; did you mean \"auto\"?"},
      {"checkpoint_interval=0 s", "must be between 1.00 ms and 1000000 h, not 0 s"},
      {"checkpoint_bandwidth=5 GB", "\"5 GB\": unknown unit of a bandwidth \"GB\"; did you mean \"GB/s\"?"},
      {"price=preemptibel", "unknown value \"preemptibel\"; did you mean \"preemptible\"?"},
      {"price_date=2018", "\"2018\" is no date; write 2018-12 or 2018-12-31"},
      {"price_date=2018-13", "\"2018-13\" is no date: there is no such month"},
      {"price_date=2018-02-30", "\"2018-02-30\" is no date: the month has no such day"},
      {"own_price=dgx-a10=3USD/h", "unknown machine, accelerator or resource \"dgx-a10\"; did you mean \"dgx-a100\"?"},
      {"own_price=p5=3USD", "\"3USD\" is paid once: over how many years? Write 3USD/3y, or a price by the hour, USD/h"},
      {"price_region=us-centrall", "unknown value \"us-centrall\"; did you mean \"us-central1\"?"},
      {"billing=hours", "unknown value \"hours\"; did you mean \"hour\"?"},
      {"teardown=1e300 s", "must be between 0 s and 1000000 h, not 1e300 s"},
      {"slow_link=x0y0", "\"x0y0\" has no factor; write it after a colon, as in x0y0-x1y0:0.5"},
      {"slow_link=x0y0-x1y0:2",
       "\"x0y0-x1y0:2\": the factor of a slow link is its share of the full rate, 0 (failed) to 1"},
      {"failed_link=x0y0-x1y0:0.5",
       "\"x0y0-x1y0:0.5\": a failed link has no factor; a slow one is slow_link=x0y0-x1y0:0.5"},
      {"slow_rank=1:1e-300", "\"1:1e-300\": the factor of a slow rank is its share of the full speed, 1e-06 to 1"},
      {"slow_rank=a:0.5", "\"a:0.5\": rank: \"a\" is not a whole number"},
      {"slow_host=1", "\"1\" has no factor; write it after a colon, as in 3:0.8"},
      {"speed_spread=0.5", "must be between 0 and 0.3, not 0.5"},
      {"jitter=normal", "write the spread after a colon, as in normal:0.02"},
      {"jitter=norml:0.1", "unknown distribution \"norml\"; did you mean \"normal\"?"},
      {"jitter=normal:0.9", "the spread is a share of the compute time, 0 to 0.5, not 0.9"},
      {"input_skew=normal:2", "\"2\" has no unit; a time is written like \"2 s\""},
      {"input_skew=lognormal:2 ms", "write it as lognormal:2 ms:0.5, the median and the sigma"},
      {"input_skew=gamma:2", "unknown distribution \"gamma\"; known: normal, exponential, lognormal"},
      {"straggler_steps=0", "0 is below the smallest possible value, 1"},
      {"straggler_steps=100001", "at most 100000 steps are drawn, not 100001"},
  };
  for (const auto& [text, reason] : refused) CHECK(refusal(text) == "--set " + text + ": " + reason);
}

TEST_CASE("every key has values and a meaning, which tells its default") {
  for (const Option& option : option_table()) {
    INFO(option.key);
    CHECK_FALSE(option.values.empty());
    CHECK_FALSE(option.meaning.empty());
    CHECK_FALSE(option.theme.empty());
  }
  CHECK_THAT(find_option("horovod_cycle").meaning, ContainsSubstring("else 5 ms"));
  CHECK_THAT(find_option("fusion_buffer").meaning, ContainsSubstring("else 64 MiB"));
  CHECK_THAT(find_option("pipeline_schedule").meaning, ContainsSubstring("else 1f1b"));
  CHECK_THAT(find_option("straggler_steps").meaning, ContainsSubstring("(200)"));
  CHECK_THAT(find_option("overlap_slowdown").meaning, ContainsSubstring("(0)"));
  CHECK_THAT(find_option("first_bucket").meaning, ContainsSubstring("1 MiB"));
  CHECK(StepPlan().first_bucket == mebibytes(1));
  // "50700 h", the published time, to three digits
  CHECK(FailureOptions().time_between_failures.value / hours(50700) == Approx(1).epsilon(1e-3));
}

TEST_CASE("no spare node is a number of them, and a cluster on record is found by a near name") {
  CHECK(options_of({{"failures", "on"}, {"spares", "0"}}).failures.spares == 0);
  CHECK_THROWS_WITH(options_of({{"failures", "on"}, {"spares", "-1"}}),
                    ContainsSubstring("smallest possible value, 0"));
  CHECK_THROWS_WITH(options_of({{"failures", "on"}, {"time_between_failures", "lama3"}}),
                    ContainsSubstring("did you mean \"llama3\"?"));
  CHECK_THROWS_WITH(options_of({{"failures", "on"}, {"time_between_failures", "-3 h"}}), ContainsSubstring("-3 h"));
}
