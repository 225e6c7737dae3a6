#include "costs/nccl_tuner_table.hpp"

namespace mlsim::costs {

const NcclTunerTable& nccl_tuner_table() {
  static const NcclTunerTable table = [] {
    NcclTunerTable t;
    // baseLat and hwLat come from NVIDIA/nccl@v2.27.7-1, src/graph/tuning.cc, in us.
    t.ring_base = {6.6, 14.0, 8.4};
    t.tree_base = {6.8, 14.0, 8.4};
    t.ring_nvlink = {0.6, 1.9, 3.4};
    t.tree_nvlink = {0.6, 1.25, 4.0};
    t.ring_pcie = {1.0, 2.5, 5.7};
    t.tree_pcie = {1.0, 1.9, 4.0};
    t.ring_network = {2.7, 4.0, 14.0};
    t.tree_network = {5.0, 8.5, 14.0};
    t.nvls_nvlink = 25.0;
    t.nvls_tree_network = 14.0;
    // The same file has llMaxBws, perChMaxRingLL128Bws, perChMaxTreeLL128Bws and perChMaxTreeBws, in GB/s.
    t.ll_rate = {{{39, 39, 20.4}, {39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35}, {282, 90, 70}}};
    t.ring_ll128_rate = {{{20, 20, 20}, {20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 36.7}, {73.4, 73.4, 73.4}}};
    t.tree_ll128_rate = {{{20, 20, 20}, {20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {73.4, 73.4, 58}}};
    t.tree_rate = {{{26.5, 18.5, 10}, {26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {77.4, 82.8, 72}}};
    // The same file has treeCorrectionFactor, from 64 B on.
    t.tree_correction = {
        {{1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
         {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
         {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, 1}}};
    // src/graph/topo.h has SM60 18, SM70 and SM80 20, SM90 20.6 and SM100 40.1, of which the steps of the search
    // (src/graph/search.cc) leave 18, 20, 20, 20 and 40.
    t.channel_rate = {18, 20, 20, 20, 40};
    // NVIDIA's data sheets give the rates of NVLink 1, 2, 3, 4 and 5.
    t.link_rate = {gigabytes_per_second(20), gigabytes_per_second(25), gigabytes_per_second(25),
                   gigabytes_per_second(25), gigabytes_per_second(50)};
    // An H100 of 18 links is searched into 16 channels of 20 GB/s, the 320 GB/s that autoparallel reads for it.
    t.most_channels = 16;
    return t;
  }();
  return table;
}

}  // namespace mlsim::costs
