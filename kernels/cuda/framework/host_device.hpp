// MLSIM_HD marks functions of host and device, so that what a kernel computes is tested without a GPU.
#pragma once

#ifdef __CUDACC__
#define MLSIM_HD __host__ __device__
#else
#define MLSIM_HD
#endif

// MLSIM_UNROLL marks a loop whose arrays are to stay in registers.
#ifdef __CUDA_ARCH__
#define MLSIM_UNROLL _Pragma("unroll")
#else
#define MLSIM_UNROLL
#endif
