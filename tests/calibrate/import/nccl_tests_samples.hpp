// Output of nccl-tests as its versions print it, with made-up times.
#pragma once

#include <string>

inline std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

// Version 2.19.6, two hosts of two GPUs.
inline const std::string kNcclTestsText =
    R"(# nccl-tests version 2.19.6 nccl-headers=22809 nccl-library=22809
# Collective test starting: all_reduce_perf
# nThread 1 nGpus 1 minBytes 8 maxBytes 1073741824 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0 unalign: 0
#
# Using devices
#  Rank  0 Group  0 Pid    101 on      hostA device  0 [0000:07:00] NVIDIA A100-SXM4-40GB
#  Rank  1 Group  0 Pid    102 on      hostA device  1 [0000:0f:00] NVIDIA A100-SXM4-40GB
#  Rank  2 Group  0 Pid    103 on      hostB device  0 [0000:07:00] NVIDIA A100-SXM4-40GB
#  Rank  3 Group  0 Pid    104 on      hostB device  1 [0000:0f:00] NVIDIA A100-SXM4-40GB
#
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)
           8             2     float     sum      -1    20.50    0.00    0.00       0    19.50    0.00    0.00       0
        1024           256     float     sum      -1    10.24    0.10    0.15      0    10.24    0.10    0.15       0
  1073741824     268435456     float     sum      -1  1.2e+06  100.00  150.00       0  1.2e+06  100.00  150.00       0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 50.05
#
# Collective test concluded: all_reduce_perf
#
)";

// Version 2.0, which had no roots and called the errors so.
inline const std::string kOldNcclTestsText =
    R"(# nThread 1 nGpus 2 minBytes 8 maxBytes 1024 step: 2(factor) warmup iters: 5 iters: 20 validation: 1
# Using devices
#   Rank  0 Pid   8756 on     Meowth device  0 [0x01] Tesla V100-SXM2-16GB
#   Rank  1 Pid   8756 on     Meowth device  1 [0x03] Tesla V100-SXM2-16GB
#       size         count      type   redop     time   algbw   busbw  error     time   algbw   busbw  error
#        (B)    (elements)                       (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
           0             0      half    none     5.00    0.00    0.00  0e+00     5.00    0.00    0.00  0e+00
        1024           256      half    none    11.00    0.09    0.05  0e+00    12.00    0.09    0.04  0e+00
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 0.05
)";

// Version 2.17 with -J, two processes of two GPUs each: only the first rank of each is listed.
inline const std::string kNcclTestsJson =
    R"({"version":1,"start_time":"2025-06-01T10:00:00Z","args":["./build/all_reduce_perf","-b","8","-g","2","-J","out.json"],
"env":["NCCL_DEBUG=WARN"],"nccl_version":22703,
"config":{"nthreads":1,"ngpus":2,"minimum_bytes":8,"maximum_bytes":1048576,"step_factor":2,"warmup_iterations":1,
"iterations":20,"aggregated_iterations":1,"validation":1,"graph":0,"blocking_collectives":"false",
"devices":[
{"rank":0,"group":0,"pid":11,"hostname":"hostA","device":0,"device_hex":"0000:07:00","device_info":"NVIDIA A100-SXM4-40GB"},
{"rank":2,"group":0,"pid":12,"hostname":"hostB","device":0,"device_hex":"0000:07:00","device_info":"NVIDIA A100-SXM4-40GB"}]},
"results":[
{"size":1024,"count":256,"type":"float","redop":"sum","root":"    -1",
"out_of_place":{"time":20.500000,"alg_bw":0.049951,"bus_bw":0.074927,"nwrong":0.000000},
"in_place":{"time":19.500000,"alg_bw":0.052513,"bus_bw":0.078769,"nwrong":null},"actual_iterations":20,"experiment_name":""},
{"size":1048576,"count":262144,"type":"float","redop":"sum","root":"    -1",
"out_of_place":{"time":100.000000,"alg_bw":10.485760,"bus_bw":15.728640,"nwrong":0.000000},
"in_place":{"time":101.000000,"alg_bw":10.381941,"bus_bw":15.572911,"nwrong":0.000000}}],
"out_of_bounds":{"count":0,"okay":"true"},
"average_bus_bandwidth":{"bandwidth":7.863809,"okay":"unchecked"},
"errors":[],"end_time":"2025-06-01T10:00:09Z"}
)";
