// Settings with values that make no sense, or that would change nothing.
#include "bad_case.hpp"

namespace {

const std::string kServer = "predict --topology p3.16xlarge --workload resnet50 ";

BadCase set(const std::string& item, const std::string& says, int code = 2) {
  return {kServer + "--set \"" + item + "\"", says, code};
}

}  // namespace

TEST_CASE("absurd numbers are refused with their setting") {
  const std::string between = "must be between";
  check({set("throughput=0", between),
         set("throughput=-1", between),
         set("throughput=nan", "finite number"),
         set("throughput=1e300", between),
         set("epochs=-1", between),
         set("epochs=1e-300", between),
         set("epochs=inf", "finite number"),
         set("accumulation=0", "below the smallest"),
         set("accumulation=1.5", "not a whole number"),
         set("checkpoint_interval=0", "has no unit"),
         set("checkpoint_interval=0 s", between),
         set("checkpoint_interval=-5 s", between),
         set("checkpoint_interval=1e300 s", between),
         set("checkpoint_bandwidth=0 GB/s", between),
         set("checkpoint_bandwidth=5 GB", "did you mean \"GB/s\"?"),
         set("time_between_failures=0 h", between),
         set("restart_time=-1 s", between),
         set("teardown=1e300 s", between),
         set("preemption_rate=1e9", between),
         set("storage_bandwidth=1e-300 B/s", between),
         set("slow_rank=1:1e-300", "1e-06 to 1"),
         set("slow_rank=1:nan", "finite number")});
}

TEST_CASE("unknown values are refused with the nearest known one") {
  check({set("billing=hours", "did you mean \"hour\"?"),
         set("price=preemptibel", "did you mean \"preemptible\"?"),
         set("optimizer=admw", "did you mean \"adam\"?"),
         set("recompute=ful", "did you mean \"full\"?"),
         set("clock=mlperff", "did you mean \"mlperf\"?"),
         set("checkpont=on", "did you mean \"checkpoint\"?"),
         set("evaluation=maybe", "known: on, off"),
         {"predict --topology dgx-h100 --workload llama3-8b --set stack=megatorn", "did you mean \"megatron\"?", 2}});
}

TEST_CASE("a setting that would change nothing is refused, not left out silently") {
  check(
      {set("preemption_rate=0.5", "changes nothing without price=preemptible"),
       set("storage_bandwidth=1 GB/s", "changes nothing without data=real"),
       set("page_cache=off", "changes nothing without data=real"),
       set("restart_time=5 min", "changes nothing without failures=on or price=preemptible"),
       set("time_between_failures=5 h", "changes nothing without failures=on or checkpoint=on"),
       set("checkpoint_bandwidth=5 GB/s", "changes nothing without checkpoint=on"),
       {kServer + "--set checkpoint=off --set \"checkpoint_interval=5 min\"", "changes nothing with checkpoint=off"},
       {"predict --topology p3.16xlarge --workload gpt2 --set billing=hour", "--set epochs=N gives the job a length"}});
}

TEST_CASE("targets and learning rates that no run is on record for are refused with those that are") {
  const std::string mlbench = "predict --topology gke-t4 --accelerators 4 --workload resnet20-cifar --set ";
  check({set("target=77", "74.9 % top-1 (v0.5-sgd); 75.9 % top-1 (v0.6-lars"),
         set("target_loss=2", "how many epochs that takes is not known"),
         set("learning_rate=0.1", "is not on record"),
         {kServer + "--set target=76 epochs=3", "does not go with epochs="},
         {"predict --topology dgx-a100 --workload gpt2 --set epochs=1 tokens=3G", "does not go with epochs="},
         {"predict --topology dgx-a100 --workload gpt2 --set tokens=3X", "tokens"},
         {"predict --topology dgx-a100 --workload resnet50 --set tokens=3G", "without tokens to predict"},
         {"predict --topology dgx-a100 --workload vit-b16 --set steps=3k", "are steps of which batch?"},
         {"predict --topology dgx-a100 --workload vit-b16 --set steps=3k samples=3k", "does not go with samples="},
         {kServer + "--set target=76 recipe=v0.6-lars", "does not go to the target 76; 90-epochs does"},
         {mlbench + "learning_rate=0.03", "those of 0.02, 0.08 on 4 ranks"},
         {"predict --topology p3.16xlarge --workload gpt2 --set target=3",
          "nothing is known of the convergence of gpt2"}});
}

TEST_CASE("blocks to compile are blocks of the network") {
  check(
      {{"predict --topology gce-v100 --workload bert-large --set xla=encodr", "did you mean \"encoder\"?"},
       {"predict --topology gce-v100 --workload bert-large --set xla=encoder fusion=on", "does not go with fusion=on"},
       {"predict --topology tpu-v3-32 --workload bert-large --set xla=encoder", "XLA compiles the whole step"}});
}

TEST_CASE("plans that cannot work exit with 1 and name the nearest that can") {
  check({{kServer + "--batch-per-accelerator 2 --set accumulation=3", "; 3 do", 1},
         {"predict --topology p3.8xlarge --workload dlrm", "1 sample per accelerator needs", 1},
         {"predict --topology dgx1-v100 --workload gshard-moe",
          "1024 x v100-sxm2-32gb would do, with --parallelism expert=1024", 1},
         {"predict --topology dgx1-v100 --workload bert-large --batch-per-accelerator 4096 --as-is", "at most ", 1}});
}
