// The probes of GPUs have names of these kinds, variants, precisions and sizes. No GPU and no CUDA is needed here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/kernel/precision.hpp"
#include "core/kernel/probe_name.hpp"

namespace mlsim::kernels {
namespace cuda {

/// A ProbeForm says how a kind's names are written.
struct ProbeForm {
  std::string kind;
  std::vector<std::string> variants;
  std::vector<Precision> precisions;                    // that are measured; empty: the name has none
  std::vector<std::string> sizes;                       // what each is
  std::vector<std::vector<std::int64_t>> usual, quick;  // sizes that are measured
};

const std::vector<ProbeForm>& probe_forms();

/// Reads a probe of one of these forms. Throws InputError with the nearest right word.
ProbeName parse_known_probe(const std::string& text);

}  // namespace cuda

/// Returns the names of the probes worth measuring, the machine's ceilings first; `quick` ones take a minute.
std::vector<std::string> cuda_probes(bool quick);

}  // namespace mlsim::kernels
