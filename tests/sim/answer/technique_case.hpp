// One small question for each scaling technique, which tests ask in several ways.
#pragma once

#include <string>
#include <vector>

#include "sim/answer/predict.hpp"
#include "sim/options/options_text.hpp"
#include "tests/namespace.hpp"

namespace mlsim::test {

struct TechniqueCase {
  std::string name;
  std::string topology, workload, parallelism;
  double batch = 1;  // samples per accelerator
  Settings settings;
  double closed = 1e-6;   // relative; how near the formulas come to the simulated step
  double message = 1e-6;  // the same of single messages; 0 where they are refused
  std::string slow_link;  // one that the technique uses
};

inline std::vector<TechniqueCase> technique_cases() {
  const Settings none;
  const Settings gpipe{{"pipeline_schedule", "gpipe"}};
  const Settings interleaved{{"pipeline_schedule", "interleaved"}, {"pipeline_chunks", "2"}};
  const Settings on_cpu{{"variable_update", "parameter_server"}, {"local_parameter_device", "cpu"}};
  const Settings on_gpus{{"variable_update", "parameter_server"}, {"local_parameter_device", "gpu"}};
  const Settings distributed{{"variable_update", "distributed_replicated"}};
  const std::string torus = "torus4x4", box = "dgx-a100", boxes = "dgx-a100:nodes=2";
  const std::string hop = "x0y0-x1y0", port = "gpu0-nvswitch0";
  // The messages of an all-to-all go in rounds, and those of a round that stay in a node leave the NICs idle; flows go
  // all at once.
  return {
      {"data", boxes, "gpt2", "data=16", 2, none, 1e-6, 1e-6, port},
      {"tensor and data", boxes, "gpt2", "tensor=4,data=4", 2, none, 1e-6, 1e-6, port},
      {"sequence parallel", boxes, "gpt2", "tensor=4", 2, {{"sequence_parallel", "on"}}, 1e-6, 1e-6, port},
      {"spatial on a torus", torus, "ssd-resnet34", "spatial=4", 2, none, 1e-3, 1e-3, hop},
      {"spatial in nodes", boxes, "ssd-resnet34", "spatial=4", 2, none, 1e-3, 1e-3, port},
      {"batch normalisation in groups", torus, "resnet50", "", 16, {{"batch_norm_group", "4"}}, 1e-6, 1e-6, hop},
      {"expert", torus, "gshard-moe:experts=16", "expert=16", 1, none, 1e-6, 0.05, hop},
      {"embedding", boxes, "dlrm", "embedding=16", 1024, none, 1e-6, 0.7, port},
      {"gpipe", box, "gpt-1.3b", "pipeline=4,micro_batches=8", 2, gpipe, 1e-3, 1e-3, port},
      {"1f1b", box, "gpt-1.3b", "pipeline=4,micro_batches=8", 2, none, 1e-3, 1e-3, port},
      {"interleaved", box, "gpt-1.3b", "pipeline=4,micro_batches=8", 2, interleaved, 1e-3, 1e-3, port},
      {"pipeline, tensor and data", boxes, "gpt-1.3b", "pipeline=4,tensor=2,micro_batches=8", 1, none, 1e-3, 1e-3,
       port},
      {"sharded update", boxes, "bert-large", "", 4, {{"sharded_update", "on"}}, 1e-6, 1e-6, port},
      {"variables on the host", "dgx1-p100", "resnet50", "", 32, on_cpu, 1e-3, 0, "gpu0-pcie0"},
      {"variables on the GPUs", "dgx1-p100", "vgg16", "", 32, on_gpus, 1e-3, 0, "gpu0-gpu1"},
      {"servers on the workers' hosts", "p2.8xlarge:nodes=2", "resnet50", "", 32, distributed, 1e-3, 0,
       "node0-network"},
  };
}

inline PredictRequest request_of(const TechniqueCase& each) {
  PredictRequest request;
  request.topology = each.topology;
  request.workload = each.workload;
  request.parallelism = each.parallelism;
  request.batch_per_accelerator = each.batch;
  request.options = options_of(each.settings);
  return request;
}

}  // namespace mlsim::test
