// Wrong words, numbers and files on the command line: one clear sentence, the right exit code, nothing on stdout,
// nothing written.
#include <fmt/format.h>

#include <regex>

#include "bad_case.hpp"

TEST_CASE("wrong words on the command line are refused with the nearest right one") {
  const std::vector<BadCase> cases{
      {"predcit --topology torus4x4", "did you mean \"predict\"?"},
      {"frobnicate", "unknown command"},
      {"predict --topolgy torus4x4 --workload resnet50", "did you mean \"--topology\"?"},
      {kPredict + "extra", "was not expected"},
      {"predict --workload resnet50", "needs --topology"},
      {"predict --topology torus4x4", "needs --workload"},
      {"predict --topology tours4x4 --workload resnet50", "torus"},
      {"predict --topology dgx1-v10 --workload resnet50", "did you mean \"dgx1-v100\"?"},
      {"predict --topology torus4x4 --workload resnet5", "did you mean \"resnet50\"?"},
      {kPredict + "--precision bf61", "did you mean \"bf16\"?"},
      {kPredict + "--fidelity foldd", "did you mean \"folded\"?"},
      {kPredict + "--format jsno", "did you mean \"json\"?"},
      {kPredict + "--set stak=mlperf-v0.6", "did you mean \"stack\"?"},
      {kPredict + "--set stack=mlperf-v0.66", "did you mean \"mlperf-v0.6\"?"},
      {kPredict + "--set recipe=v0.7-lars-xt", "did you mean \"v0.7-lars-tf\"?"},
      {kPredict + "--set data=reel", "did you mean \"real\"?"},
      {kPredict + "--set algorithm=rign", "did you mean \"ring\"?"},
      {kPredict + "--set price_region=us-centrl1", "did you mean \"us-central1\"?"},
      {kPredict + "--price-date december", "--price-date: \"december\" is no date"},
      {kPredict + "--price-date 2020-13", "no such month"},
      {kPredict + "--price-date 2020-05 --set price_date=2020-06", "twice"},
      {kPredict + "--price-date 2016-05", "the nearest date with one is 2019-01"},
      {kPredict + "--set price_region=asia-east1", "known are europe-west4, us-east1"},
      {"predict --topology oci-bm.gpu4.8 --workload resnet50 --set price=preemptible", "no preemptible price"},
      {"predict --topology dgx2 --workload resnet50 --price-date 2018-12", "no on-demand price of dgx2"},
      {kPredict + "--set data", "key=value"},
      {kPredict + "--set data=real --set data=real", "twice"},
      {kPredict + "--parallelism dada=16", "did you mean \"data\"?"},
      {kPredict + "--parallelism 16", "axis=ranks"},
      {"predict --topology torus4x4:acelerator=tpu-v3 --workload resnet50", "did you mean \"accelerator\"?"},
      {"predict --topology torus4x4:accelerator=tpu-v33 --workload resnet50", "did you mean \"tpu-v3\"?"},
      {kPredict + "--price-date ''", "--price-date: is empty"},
      {kPredict + "--set ''", "--set: is empty"},
      {kPredict + "--price-date 2018-1", "write 2018-12 or 2018-12-31"},
      {kPredict + "--price-date 2018-02-30", "no such day"},
      {kPredict + "--set recipe=v0.7-lamb", "unknown recipe"},
      {kPredict + "--set stack=mlperf", "there are mlperf-v0.5"},
      {"predict --topology torus4x4 --workload gpt2 --set recipe=v0.7-lamb",
       "nothing is known of the convergence of gpt2"},
      {"list recipe", "did you mean \"recipes\"?"},
      {"list workloads more", "\"more\" was not expected"},
      {"list topologes", "did you mean \"topologies\"?"},
      {"validate", "validate needs to know what: published, questions, convergence"},
      {"validate --quiet", "validate needs to know what: published"},
      {"validate publishd", "validate: unknown command \"publishd\"; did you mean \"published\"?"},
      {"validate published --formt json", "unknown option \"--formt\"; did you mean \"--format\"?"},
      {"validate --format json published", "--format: is expected after `mlsim validate published`"},
      {"predict --topology", "--topology"},
  };
  for (const auto& bad : cases) check(bad);
}

TEST_CASE("wrong numbers are refused") {
  const std::vector<BadCase> cases{
      {"predict --topology torus0x4 --workload resnet50", "0"},
      {"predict --topology torus-4x4 --workload resnet50", "torus-4x4"},
      {"predict --topology torus999999x999999 --workload resnet50", "torus999999x999999"},
      {kPredict + "--accelerators 0", "below the smallest"},
      {kPredict + "--accelerators -3", "below the smallest"},
      {kPredict + "--accelerators many", "not a whole number"},
      {kPredict + "--accelerators 99999999999999", "99999999999999"},
      {kPredict + "--global-batch 0", "--global-batch"},
      {kPredict + "--global-batch -16", "--global-batch"},
      {kPredict + "--global-batch 16.5", "not a whole number"},
      {kPredict + "--global-batch nan", "nan"},
      {kPredict + "--batch-per-accelerator 1e30", "not a whole number"},
      {kPredict + "--global-batch 16 --batch-per-accelerator 1", "exclude each other"},
      {kPredict + "--set epochs=0", "between 1e-06 and"},
      {kPredict + "--set bucket=25", "has no unit"},
      {kPredict + "--set bucket=25MBs", "MB"},
      {kPredict + "--set slow_rank=99:0.5", "99"},
      {kPredict + "--set slow_rank=1:0", "1:0"},
      {kPredict + "--set slow_link=x0y0-x2y0:0.5", "x0y0"},
      {kPredict + "--seed -1", "--seed"},
  };
  for (const auto& bad : cases) check(bad);
}

TEST_CASE("numbers of a topology beyond what any machine has are refused with their bounds") {
  const std::vector<std::pair<std::string, std::string>> rows{
      {"tpu-v2-pod:link_bandwidth=1e308B/s",
       "option \"link_bandwidth\": must be from 1 B/s to 1000 PB/s, not 1e308B/s"},
      {"gke-cpu:nodes=3:network_latency=1e308h", "option \"network_latency\": must be from 0 s to 1 h, not 1e308h"},
      {"horovod-25gbe-tcp:nodes=32:oversubscription=1e308",
       "option \"oversubscription\": must be from 1 to 1000000, not 1e308"},
      {"torus16x300:link_bandwidth=1e-308Gbit/s", "option \"link_bandwidth\": must be from 1 B/s to 1000 PB/s"}};
  for (const auto& [topology, says] : rows)
    check(BadCase{"predict --workload resnet50 --batch-per-accelerator 8 --topology " + topology, says});
}

TEST_CASE("the widest figures of a topology are answered with numbers") {
  for (const char* const topology :
       {"torus4x4:link_bandwidth=1B/s", "torus4x4:link_bandwidth=1000PB/s", "torus4x4:link_latency=1h",
        "torus4x4:link_latency=1e-308s", "torus4x4:link_latency=0s", "dgx-a100:nodes=2:network_bandwidth=1B/s",
        "dgx-a100:nodes=2:network_latency=1h:oversubscription=1000000"})
    for (const char* const fidelity : {"closed", "folded", "fluid", "message"}) {
      const auto run = run_mlsim(fmt::format(
          "predict --workload resnet50 --batch-per-accelerator 8 --topology {} --fidelity {}", topology, fidelity));
      INFO(topology << " " << fidelity << ": " << run.err);
      CHECK(run.code == 0);
      CHECK_FALSE(std::regex_search(run.out, std::regex("\\b(inf|nan)\\b")));
    }
}

TEST_CASE("plans that cannot work end with exit code 1 and the nearest that does") {
  const std::vector<BadCase> cases{
      {kPredict + "--accelerators 17", "17", 1},
      {kPredict + "--accelerators 11", "11", 1},
      {"predict --topology dgx1-v100:nodes=2 --workload resnet50 --accelerators 12", "12", 1},
      {kPredict + "--global-batch 8", "16 is the least", 1},
      {kPredict + "--batch-per-accelerator 4096 --as-is", "fit", 1},
      {kPredict + "--parallelism data=8", "data=16 does", 1},
      {"predict --topology dgx1-v100 --workload resnet50 --precision fp8", "does not compute in fp8", 1},
  };
  for (const auto& bad : cases) check(bad);
}

TEST_CASE("broken files are refused with file and line, and nothing is written") {
  const ScratchFolder folder;
  const std::string good = "kept from before\n";
  const std::string output = folder.file("answer.json", good);
  const std::string truncated = folder.file("truncated.yaml", "kind: grid\nsize: [4, ");
  const std::string binary = folder.file("binary.yaml", std::string("\x7f"
                                                                    "ELF\x02\x01\x00\x01",
                                                                    8));
  const std::string empty = folder.file("empty.yaml", "");
  const std::string typo = folder.file("typo.yaml", "titel: my pod\n");
  const std::string half_profile = folder.file("half.json", "{\"schema_version\": 1, \"accelerator\": \"tpu");
  const std::string odd_profile = folder.file("odd.json", "{\"schema_versoin\": 1}");
  const auto entries = folder.entries();
  const std::string tail = " --format json --output " + output;
  const std::vector<BadCase> cases{
      {"predict --workload resnet50 --topology " + truncated + tail, "truncated.yaml:"},
      {"predict --workload resnet50 --topology " + binary + tail, "not text"},
      {"predict --workload resnet50 --topology " + empty + tail, "empty"},
      {"predict --workload resnet50 --topology " + typo + tail, "typo.yaml:1"},
      {"predict --workload resnet50 --topology ./no/such/file.yaml" + tail, "cannot be opened"},
      {"predict --topology torus4x4 --workload " + truncated + tail, "truncated.yaml:"},
      {"predict --topology torus4x4 --workload " + binary + tail, "not text"},
      {"predict --topology torus4x4 --workload " + typo + tail, "typo.yaml:1"},
      {kPredict + "--profile " + half_profile + tail, "half.json"},
      {kPredict + "--profile " + odd_profile + tail, "schema_version"},
      {kPredict + "--profile " + folder.path("none.json") + tail, "cannot be opened"},
      {kPredict + "--profile " + folder.path("") + tail, "cannot be read"},
      {"validate published --cases " + typo, "typo.yaml:1"},
      {"validate published --cases " + folder.path("none.csv"), "cannot be"},
  };
  for (const auto& bad : cases) check(bad);
  // Two outputs are written both or not at all.
  check({kPredict + "--trace " + folder.path("trace.json") + " --output /nonexistent/answer.txt", "/nonexistent"});
  check({kPredict + "--trace /nonexistent/trace.json" + tail, "/nonexistent"});
  CHECK(text_of(output) == good);
  CHECK(folder.entries() == entries);
}

TEST_CASE("a config.json in another file's place is said to be a workload") {
  const ScratchFolder folder;
  const std::string model =
      folder.file("config.json", "{\"architectures\": [\"LlamaForCausalLM\"], \"hidden_size\": 8}\n");
  for (const std::string& command : {"predict --workload resnet50 --topology '" + model + "'",
                                     "predict --workload resnet50 --topology dgx-a100 --profile '" + model + "'"})
    check({{command, "is a model of Hugging Face, config.json, which is a workload: --workload takes it"}});
}

TEST_CASE("an output that cannot be written is refused") {
  check({kPredict + "--output /nonexistent/folder/answer.txt", "/nonexistent/folder"});
  check({kPredict + "--trace /nonexistent/folder/trace.json", "/nonexistent/folder"});
}
