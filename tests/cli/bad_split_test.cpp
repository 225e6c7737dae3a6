// Meshes that do not fit the accelerators or the model, and settings about axes that a step lacks.
#include "bad_case.hpp"

namespace {

const std::string kBoxes = "predict --topology dgx-a100:nodes=2 --workload ";

BadCase split(const std::string& workload, const std::string& parallelism, const std::string& says, int code = 1) {
  return {kBoxes + workload + " --parallelism \"" + parallelism + "\"", says, code};
}

BadCase set(const std::string& question, const std::string& item, const std::string& says, int code = 2) {
  return {kBoxes + question + " --set \"" + item + "\"", says, code};
}

}  // namespace

TEST_CASE("a mesh that does not multiply to the accelerators is refused with the nearest that does") {
  check({split("resnet50", "data=15", "data=15 does not cover the 16 accelerators; data=16 does"),
         split("gpt2", "data=4,tensor=8", "data=4,tensor=8 does not cover the 16 accelerators; data=2,tensor=8 does"),
         split("gpt2", "tensor=3", "does not cover the 16 accelerators; data=4,tensor=4 does"),
         split("gpt2", "tensor=32", "does not cover the 16 accelerators; tensor=16 does"),
         split("gpt2", "tensor=16777216,pipeline=16777216", "does not cover the 16 accelerators")});
}

TEST_CASE("axes that a model cannot be split along are refused with the model's reason") {
  check({split("bert-large", "spatial=4", "bert-large reads no image"),
         split("bert-large", "spatial=4", "leave out spatial=4"),
         split("resnet50", "expert=4", "resnet50 has no mixture of experts; leave out expert=4"),
         split("bert-large", "embedding=4", "bert-large has no embedding bag; leave out embedding=4"),
         {"predict --topology torus16x16 --workload ssd-resnet34 --parallelism spatial=256",
          "too few for spatial=256; the most is spatial=150, and on 256 accelerators spatial=128 does", 1}});
}

TEST_CASE("the nearest split that works covers the accelerators too") {
  check({split("gpt2", "tensor=8", "tensor=8 does not divide the 12 heads of decoder.block0.attention"),
         split("gpt2", "tensor=8", "; tensor=4 works"),
         split("gshard-moe:experts=4", "expert=16", "does not divide the 4 experts"),
         {"predict --topology dgx-a100:nodes=128 --workload gpt2 --parallelism pipeline=1024",
          "at most 113 stages, between its kernels, not into 1024; on 1024 accelerators pipeline=64 does", 1}});
}

TEST_CASE("the advice of a refused split works") {
  CHECK(run_mlsim(kBoxes + "gpt2 --parallelism tensor=4").code == 0);
  CHECK(run_mlsim(kBoxes + "gpt2 --parallelism data=4,tensor=4").code == 0);
  CHECK(run_mlsim(kBoxes + "gpt2 --parallelism pipeline=4,micro_batches=2 --batch-per-accelerator 1").code == 0);
  CHECK(run_mlsim(kBoxes + "resnet50 --set batch_norm_group=4").code == 0);
  CHECK(run_mlsim(kBoxes + "gpt2 --parallelism tensor=4 --set mesh=tensor:node,data:node,data:network").code == 0);
}

TEST_CASE("more micro-batches than samples are refused with samples and counts that do") {
  const std::string pipe = "gpt2 --batch-per-accelerator 1 --parallelism pipeline=4,micro_batches=";
  check({{kBoxes + pipe + "6", "4 samples on every 4 accelerators do not divide into 6 micro-batches", 1},
         {kBoxes + pipe + "6", "; 6 do, or into 4 micro-batches", 1},
         {kBoxes + "gpt2 --parallelism pipeline=4,micro_batches=6 --set pipeline_schedule=interleaved --set "
                   "pipeline_chunks=2",
          "the interleaved schedule takes a multiple of its 4 stages of micro-batches, not 6; the nearest is 4", 1}});
}

TEST_CASE("words and numbers of a parallelism are checked") {
  check({split("gpt2", "tensr=4", "unknown axis \"tensr\"; did you mean \"tensor\"?", 2),
         split("gpt2", "pipelin=4", "did you mean \"pipeline\"?", 2),
         split("gpt2", "tensor=4,tensor=2", "\"tensor\" is given twice", 2),
         split("gpt2", "tensor", "\"tensor\" is not of the form axis=ranks", 2),
         split("gpt2", "tensor=0", "0 is below the smallest possible value, 1", 2),
         split("gpt2", "tensor=-4", "below the smallest", 2),
         split("gpt2", "tensor=2.5", "\"2.5\" is not a whole number", 2),
         split("gpt2", "tensor=1e300", "not a whole number", 2),
         split("gpt2", "tensor=99999999999999999999", "too large; at most 2147483647", 2),
         split("gpt2", "tensor=2000000000", "tensor is at most", 2),
         split("gpt2", "", "--parallelism: is empty", 2),
         split("resnet50", "micro_batches=0", "below the smallest", 2),
         {kBoxes + "resnet50 --set accumulation=4 --parallelism micro_batches=4", "say the same thing twice"}});
}

TEST_CASE("settings about an axis that the step lacks are refused") {
  check({set("gpt2", "sequence_parallel=on", "changes nothing without --parallelism tensor=N"),
         set("gpt2", "pipeline_schedule=gpipe", "changes nothing without --parallelism pipeline=N"),
         set("gpt2", "pipeline_chunks=2", "changes nothing without --parallelism pipeline=N"),
         set("resnet50", "capacity=2", "changes nothing without --parallelism expert=N"),
         set("resnet50", "table_placement=row", "changes nothing without --parallelism embedding=N"),
         set("resnet50", "mesh=data:node", "changes nothing where data is the only axis"),
         set("gpt2 --parallelism pipeline=4", "pipeline_chunks=99999", "at most 65536"),
         set("gpt2 --parallelism pipeline=4", "pipeline_schedule=gpip", "did you mean \"gpipe\"?"),
         set("gpt2", "servers=2", "changes nothing without variable_update="),
         set("gpt2", "server_placement=greedy", "changes nothing without variable_update=")});
}

TEST_CASE("words of a mesh are checked and a mapping that does not divide gets one that does") {
  const std::string tensor = "gpt2 --parallelism tensor=4";
  check({set(tensor, "mesh=tensr:node,data:network", "unknown axis \"tensr\"; did you mean \"tensor\"?"),
         set(tensor, "mesh=tensor:nod,data:network", "unknown dimension \"nod\"; did you mean \"node\"?"),
         set(tensor, "mesh=tensor", "\"tensor\" is not of the form axis:dimension, as in data:node"),
         set(tensor, "mesh=tensor:node",
             "data 4 is on no dimension; \"tensor:node,data:node,data:network\" has all axes"),
         set(tensor, "mesh=tensor:node,tensor:node,data:node", "tensor is on node twice"),
         set(tensor, "mesh=tensor:node,data:network", "\"tensor:node,data:node,data:network\" does", 1)});
}

TEST_CASE("groups of batch normalisation that do not divide, or without such layers, are refused") {
  check({set("resnet50", "batch_norm_group=3", "groups of 3 do not divide 16 data-parallel ranks; groups of 2 and 4 do",
             1),
         set("resnet50", "batch_norm_group=32", "; groups of 16 do", 1),
         set("resnet50", "batch_norm_group=0", "below the smallest"),
         set("bert-large", "batch_norm_group=4", "bert-large has no batch normalisation"),
         set("resnet50 --parallelism normalization=4", "batch_norm_group=4", "say the same thing twice")});
}

TEST_CASE("techniques that exclude each other are refused with what works") {
  const std::string tensor = "gpt2 --parallelism tensor=4";
  check(
      {set(tensor, "variable_update=parameter_server", "hold the whole model, not data=4, tensor=4; data=16 works", 1),
       set(tensor, "choice=nccl", "for exchanges between all ranks, not for data=4, tensor=4", 1)});
}

TEST_CASE("explain refuses what it does not take, and leaves files as they were") {
  const ScratchFolder folder;
  const std::string kept = folder.file("answer.txt", "kept from before\n");
  const std::string explain = "explain --topology dgx-a100 --workload ";
  check({{explain + "gpt2 --trace " + folder.path("x.json"), "unknown option \"--trace\""},
         {explain + "gpt22 --output " + kept, "there are gpt-22b"},
         {explain + "gpt2 --set jitter=normal:0.1 --output " + kept, "explain looks at one"},
         {explain + "gpt2 --parallelism tensor=8 --output " + kept, "does not divide the 12 heads", 1},
         {kBoxes + "gpt2 --parallelism tensor=8 --output " + kept, "does not divide the 12 heads", 1},
         {kBoxes + "gpt2 --parallelism tensor=8 --output " + folder.path("new.txt"), "does not divide", 1}});
  CHECK(text_of(kept) == "kept from before\n");
  CHECK(folder.entries() == 1);
}
