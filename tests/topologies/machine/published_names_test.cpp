#include "topologies/machine/published_names.hpp"
#include "topologies/machine/topology_name.hpp"

#include <fmt/format.h>

#include <vector>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "topologies/machine/accelerator_file.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a slice of a Cloud TPU is named after its cores, of which a chip has two") {
  for (const auto& [cores, x, y] : {std::tuple(8, 2, 2), {32, 4, 4}, {128, 8, 8}, {256, 8, 16}, {512, 16, 16}}) {
    const Cluster c = build_cluster("tpu-v2-" + std::to_string(cores));
    CHECK(c.ranks() == cores / 2);
    CHECK(c.accelerator.name == "tpu-v2");
    CHECK(c.grid->front().size == x);
    CHECK(c.grid->back().size == y);
    CHECK(c.grid->front().wraps == (x == 16));
    CHECK(c.grid->back().wraps == (y == 16));
  }
  for (int cores = 32; cores <= 8192; cores *= 2)
    CHECK(build_cluster("tpu-v3-" + std::to_string(cores)).ranks() == cores / 2);
  CHECK(build_cluster("tpu-v3-1024").grid->back().wraps);
  CHECK_FALSE(build_cluster("tpu-v3-1024").grid->front().wraps);
  CHECK_FALSE(build_cluster("tpu-v3-8192").grid->front().wraps);
  CHECK(build_cluster("tpu-v4-4096").ranks() == 2048);
  CHECK(build_cluster("tpu-v4-6912").ranks() == 3456);
  CHECK(build_cluster("tpu-v5e-256").ranks() == 256);
}

TEST_CASE("a published name is built under its plain one and takes options") {
  CHECK(build_cluster("tpu-v3-32").name == "torus32x32:accelerator=tpu-v3:slice=4x4");
  CHECK(build_cluster("TPU_v3-32").name == build_cluster("tpu-v3-32").name);
  CHECK(build_cluster("DGX-2H:nodes=2").name == "dgx2h:nodes=2");
  CHECK(build_cluster("selene", 2048).nodes == 256);
  CHECK_THROWS_AS(build_cluster("selene", 2248), Infeasible);
  CHECK_THROWS_WITH(build_cluster("tpu-v3-32:slice=2x2"), ContainsSubstring("\"slice\" stands twice"));
  CHECK_THROWS_WITH(build_cluster("tpu-v3-33"), ContainsSubstring("did you mean \"tpu-v3-32\""));
}

TEST_CASE("case, dashes and underscores do not matter in names of systems") {
  for (const auto& [written, meant] : {std::pair("P3DN", "p3dn"),
                                       {"p3dn.24XLarge", "p3dn"},
                                       {"DGX_H100", "dgx-h100"},
                                       {"dgxh100", "dgx-h100"},
                                       {"DGX1-V100:nodes=2", "dgx1-v100:nodes=2"},
                                       {"Torus4x4", "torus4x4"},
                                       {"MESH4x4", "mesh4x4"},
                                       {"tpu v3 32", "tpu-v3-32"},
                                       {"TPUv3-32", "tpu-v3-32"},
                                       {"torus4x4:accelerator=TPU_V2", "torus4x4:accelerator=tpu-v2"},
                                       {"pcie-server:accelerator=RTX4090", "pcie-server:accelerator=rtx-4090"}})
    CHECK(build_cluster(written).name == build_cluster(meant).name);
}

TEST_CASE("a slice is known by Google's name without tpu, too") {
  for (const char* const slice :
       {"v2-8", "v3-32", "v3-2048", "V3-8192", "v4-512", "v5p-128", "v5e-16", "v5litepod-16", "v6e-8", "v6e-256"})
    CHECK(build_cluster(slice).name == build_cluster("tpu-" + std::string(slice)).name);
  CHECK(build_cluster("v3-32").ranks() == 16);
  CHECK(build_cluster("v5litepod-16").ranks() == 16);
}

TEST_CASE("a number of TPU chips is a slice, and a slice of TPU 7x is named by its topology") {
  for (const int chips : {1, 4, 8, 16, 32, 64, 128, 256}) {
    for (const char* const pod : {"v6e", "v5e", "trillium"}) {
      const Cluster slice = build_cluster(fmt::format("tpu-{}-{}", pod, chips));
      CHECK(slice.ranks() == chips);
      CHECK(build_cluster(fmt::format("{}x{}", chips, pod)).name ==
            build_cluster(fmt::format("tpu-{}", pod), chips).name);
    }
  }
  CHECK(build_cluster("64xv6e").name == "tpu-trillium-pod:accelerator=tpu-trillium:slice=8x8");
  CHECK(build_cluster("128 x Ironwood").ranks() == 128);
  CHECK(build_cluster("tpu7x-4x4x8").ranks() == 128);
  CHECK(build_cluster("tpu7x-4x4x8").grid->back().wraps);
  CHECK(build_cluster("v6e").ranks() == 1);
  CHECK(build_cluster("v5p-256").ranks() == 128);
  CHECK_THROWS_WITH(build_cluster("600xv6e"),
                    ContainsSubstring("600 chips form no box inside tpu-trillium-pod (16x16); 256 do"));
  CHECK_THROWS_WITH(build_cluster("17xv6e"), ContainsSubstring("(16x16); 16 and 18 do"));
}

TEST_CASE("a number of accelerators stands in the nodes that mostly hold them") {
  CHECK(build_cluster("8xH100").name == "dgx-h100:nodes=1");
  CHECK(build_cluster("16xH100").name == "dgx-h100:nodes=2");
  CHECK(build_cluster("4 x A100-80GB").name == "dgx-a100-80gb:nodes=1:per_node=4");
  CHECK(build_cluster("64xV100:oversubscription=2").name == "dgx1-v100:nodes=8:oversubscription=2");
  CHECK(build_cluster("2xc4140").name == "hgx-v100-4:nodes=2");  // a published name
  CHECK(build_cluster("20xL40").name == "pcie-server-10:accelerator=l40:nodes=2");
  CHECK_THROWS_WITH(build_cluster("12xL40"), ContainsSubstring("do not fill nodes of 8"));
  CHECK_THROWS_WITH(build_cluster("12xH100"), ContainsSubstring("do not fill nodes of 8 of dgx-h100; 8 and 16 do"));
  CHECK_THROWS_WITH(build_cluster("8xFoo"), ContainsSubstring("unknown topology \"8xFoo\"; none of "));
  CHECK_THROWS_WITH(build_cluster("0xH100"), ContainsSubstring("unknown topology"));
  CHECK_THROWS_WITH(build_cluster("99999999999xH100"), ContainsSubstring("unknown topology"));
  CHECK_THROWS_WITH(build_cluster("800000xH100"), ContainsSubstring("at most 100 000"));
}

TEST_CASE("racks of trays are filled evenly where they are not filled") {
  CHECK(build_cluster("144xgb200").name == "gb200-nvl72:nodes=2");
  CHECK(build_cluster("512xgb200").name == "gb200-nvl72:nodes=8:per_node=64");
  CHECK(build_cluster("2560xgb200").name == "gb200-nvl72:nodes=40:per_node=64");
  CHECK(build_cluster("80xgb300").name == "gb300-nvl72:nodes=2:per_node=40");
  CHECK_THROWS_WITH(build_cluster("74xgb200"), ContainsSubstring("do not fill nodes of 72"));
}

TEST_CASE("counts stand before or behind what they count, with a cross, a blank or a colon") {
  const std::string eight = build_cluster("dgx-h100:nodes=8").name;
  for (const char* const name : {"64xH100", "64 H100", "64H100", "64 x H100", "H100x64", "h100:64", "h100 x 64",
                                 "H100*64", "8xdgx-h100", "dgx-h100x8", "8 DGX H100", "dgx_h100:8", "DGX-H100 x 8"})
    CHECK(build_cluster(name).name == eight);
  CHECK(build_cluster("v5e:16").name == build_cluster("tpu-v5e-16").name);
  CHECK(build_cluster("4 x ND96isr_H100_v5").ranks() == 32);
  CHECK(build_cluster("perlmutter:256").ranks() == 1024);
  CHECK_THROWS_WITH(build_cluster("2xselene"), ContainsSubstring("unknown topology \"2xselene\""));
  CHECK_THROWS_WITH(build_cluster("torus4x4:8"), ContainsSubstring("must read key=value"));
  CHECK_THROWS_WITH(build_cluster("99999999999xH100"), ContainsSubstring("unknown topology"));
}

TEST_CASE("an accelerator may be spelled with its maker, board and memory, which must be its own") {
  CHECK(build_cluster("NVIDIA H100 80GB HBM3", 8).name == "dgx-h100:nodes=1");
  CHECK(build_cluster("h100-sxm5-80gb", 8).name == "dgx-h100:nodes=1");
  CHECK(build_cluster("Tesla V100-SXM2-16GB", 8).accelerator.name == "v100-sxm2-16gb");
  CHECK(build_cluster("v100-32gb", 8).name == "dgx1-v100:nodes=1");
  CHECK(build_cluster("16xA100-80GB-PCIe").accelerator.name == "a100-pcie-80gb");
  CHECK(build_cluster("Intel Gaudi2 96GB").accelerator.name == "gaudi2");
  CHECK(build_cluster("Habana Gaudi", 8).name == "hls-1:nodes=1");
  CHECK(build_cluster("16xAscend910").name == "atlas-800-9000:nodes=2");
  CHECK(build_cluster("NVIDIA GeForce RTX 4090").accelerator.name == "rtx-4090");
  CHECK(build_cluster("8 x AMD Instinct MI300X").name == "mi300x-8:nodes=1");
  CHECK_THROWS_WITH(build_cluster("h100-sxm5-94gb"), ContainsSubstring("unknown topology"));
  CHECK_THROWS_WITH(build_cluster("h100 of ours"), ContainsSubstring("unknown topology"));
}

TEST_CASE("instances of clouds and machines of laboratories are systems by their own names") {
  for (const auto& [name, accelerator, ranks] :
       std::vector<std::tuple<std::string, std::string, int>>{{"p5en.48xlarge", "h200-sxm", 8},
                                                              {"p6-b200.48xlarge", "b200-sxm", 8},
                                                              {"g6e.48xlarge", "l40s", 8},
                                                              {"dl1.24xlarge", "gaudi", 8},
                                                              {"g5.xlarge", "a10g", 1},
                                                              {"a3-highgpu-8g", "h100-sxm5", 8},
                                                              {"a2-megagpu-16g", "a100-sxm4-40gb", 16},
                                                              {"a4-highgpu-8g", "b200-sxm", 8},
                                                              {"g2-standard-96", "l4", 8},
                                                              {"Standard_ND96isr_H100_v5", "h100-sxm5", 8},
                                                              {"ND96asr_v4", "a100-sxm4-40gb", 8},
                                                              {"NC24ads_A100_v4", "a100-pcie-80gb", 1},
                                                              {"BM.GPU.B200.8", "b200-sxm", 8},
                                                              {"frontier", "mi250x", 8},
                                                              {"summit", "v100-sxm2-16gb", 6},
                                                              {"Perlmutter", "a100-sxm4-40gb", 4},
                                                              {"leonardo", "a100-sxm4-64gb", 4},
                                                              {"alps", "gh200", 4},
                                                              {"el capitan", "mi300a", 4},
                                                              {"jean-zay-a100", "a100-sxm4-80gb", 8},
                                                              {"dgx-spark", "gb10", 1}}) {
    INFO(name);
    const Cluster cluster = build_cluster(name);
    CHECK(cluster.accelerator.name == accelerator);
    CHECK(cluster.ranks() == ranks);
  }
}

TEST_CASE("an accelerator's name is one of it, in the machine that it mostly stands in") {
  CHECK(build_cluster("h200").name == "hgx-h200:nodes=1:per_node=1");
  CHECK(build_cluster("H100", 64).name == "dgx-h100:nodes=8");
  CHECK(build_cluster("RTX4090").name == "pcie-server:accelerator=rtx-4090:nodes=1:per_node=1");
  CHECK(build_cluster("6xRTX4090").ranks() == 6);
  CHECK(build_cluster("l40s:nodes=2").ranks() == 16);
  CHECK_THROWS_WITH(build_cluster("rtx-4090x"), ContainsSubstring("did you mean \"rtx-4090\""));
  CHECK_THROWS_WITH(build_cluster("h20O"), ContainsSubstring("h200"));
  for (const std::string& name : accelerator_names()) {
    const AcceleratorSpec spec = load_accelerator(name);
    if (spec.family != AcceleratorFamily::gpu) continue;
    INFO(name);
    const Cluster one = build_cluster(name);
    CHECK(one.ranks() == 1);
    CHECK(one.accelerator.name == name);
  }
}

TEST_CASE("a torus whose name says no chip is of one chip at every size") {
  for (const char* const size : {"8x8", "16x8", "16x16", "32x16", "32x32", "128x32"})
    CHECK(accelerator_of("torus" + std::string(size)) == "tpu-v3");
  CHECK(accelerator_of("tpu-v2-512") == "tpu-v2");
  CHECK(build_cluster("torus16x16:accelerator=tpu-v2").name == build_cluster("tpu-v2-pod").name);
  CHECK(build_cluster("torus16x16").link(0).bandwidth == build_cluster("torus16x8").link(0).bandwidth);
}

TEST_CASE("the large systems have the size that is published") {
  for (const auto& [name, accelerators] : {std::pair("azure-10k", 10000),
                                           {"nd-h100-v5-x1344", 10752},
                                           {"selene", 2240},
                                           {"dgx-a100-superpod", 2240},
                                           {"abci-2048xv100", 2048},
                                           {"tencent-jizhi-2048", 2048},
                                           {"horovod-512", 512},
                                           {"pfn-mn-1-1024", 1024}}) {
    INFO(name);
    CHECK(build_cluster(name).ranks() == accelerators);
  }
  CHECK(build_cluster("azure-10k").node_network == gigabytes_per_second(50));
}

TEST_CASE("every published name builds, and none hides a name of the grammar") {
  CHECK(published_names().size() > 80);
  for (const auto& published : published_names()) {
    INFO(published.name);
    CHECK_NOTHROW(build_cluster(published.name));
    CHECK(resolved_name(parse_topology_name(published.topology)).head ==
          resolved_name(resolved_name(parse_topology_name(published.topology))).head);
    CHECK_THROWS_AS(build_cluster(published.name + "-that-nobody-has"), InputError);
  }
}

TEST_CASE("systems of the published tables are in the catalogue") {
  for (const char* name :
       {// TensorFlow 2017, Horovod, MLBench
        "dgx-1", "gce-k80", "n1-standard-32-k80x8", "p2.8xlarge", "horovod-16", "horovod-64", "gke-t4", "gke-k80",
        "gke-cpu",
        // Google Cloud 2018 and 2020
        "n1-standard-64-v100", "n1-standard-8-v100", "tpu-v2-512", "gpu-v100-8", "tpu-v3-32",
        // DAWNBench
        "n1-standard-16", "n1-standard-8-k80", "p2.xlarge", "g3.4xlarge", "g3.16xlarge", "p3.2xlarge", "p3.8xlarge",
        "p3.16xlarge:nodes=16", "c5.18xlarge:nodes=128", "ecs.gn6e-c12g1.24xlarge:nodes=16", "lambda-4x-1080ti",
        "baidu-v100", "baidu-v100-1", "paperspace-v100", "ibm-ac922", "azure-nd40s-v2", "gce-p4", "gce-t4",
        "workstation:accelerator=rtx-2080:per_node=1", "workstation:accelerator=gtx-1080-ti:per_node=1",
        // MLPerf Training
        "tpu-v3-2048", "tpu-v3-8192", "tpu-v4-6912", "tpu-v5p-12288", "dgx-1v", "dgx1-v100-16gb:nodes=80", "dgx-2",
        "dgx-2h:nodes=96", "dgx-a100:nodes=230", "dgx-a100-80gb:nodes=512", "dgx-h100:nodes=448", "dgx-h200",
        "dgx-b200", "gb200-nvl72:nodes=39", "c4140", "2xc4140", "dss8440", "dss8440x8a100-pcie-40gb-nvbridge",
        "as-2124gq-nart", "xe8545x4a100-sxm-80gb", "nd96amsr-a100-v4:nodes=256", "cloud-v100x8",
        "a3-ultragpu-8g:nodes=8", "abci-2048xv100", "tinybox-green", "g5.12xlarge",
        // NVIDIA DeepLearningExamples, DLPerf, nccl-tests
        "dgx1-v100", "dgx2h:nodes=64", "dgx-a100-superpod", "dgx1-v100-16gb:nodes=4:network_bandwidth=100Gbit/s",
        "p3dn:nodes=2", "p4d", "p4de:nodes=2", "p5", "a3-megagpu-8g:nodes=2", "bm.gpu4.8:nodes=2",
        "bm.gpu.h100.8:nodes=2", "mi300x-8:nodes=2", "mi300x-8:accelerator=mi350x", "pcie-server:accelerator=rtx-4090",
        "hgx-h200",
        // papers
        "big-basin-256", "pfn-mn-1-1024", "tencent-jizhi-2048", "minsky-256", "azure-10k",
        "pcie-server:accelerator=rtx-5090",
        // lambda-tensorflow-benchmark
        "pcie-pair-server", "rtx-bridge-server", "rtx-bridge-server:accelerator=quadro-rtx-8000",
        "pcie-server:accelerator=rtx-a6000", "pcie-server:accelerator=quadro-rtx-6000:per_node=4",
        "workstation:accelerator=radeon-pro-vii"}) {
    INFO(name);
    CHECK_NOTHROW(build_cluster(name));
  }
}
