// The usual precision is the format that a network is trained in on an accelerator where nobody says one.
#pragma once

#include <string>

#include "core/kernel/precision.hpp"
#include "sim/evidence/evidence.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::sim {

struct UsualPrecision {
  Precision precision = Precision::fp32;
  std::string why;  // "fastest on record here"
};

/// Says whether a GPU has units that multiply matrices (Volta and later, CDNA), as fused attention wants.
bool has_matrix_units(const AcceleratorSpec& accelerator);

/// Returns the fastest format of the runs in sight of the network on the accelerator, or else on such of its kind, or
/// else on any of its family, that the data sheet has and its matrix units gain by; without a run, the format that the
/// model's file says its published runs have on such a chip; else the widest one of 16 bits that matrix units gain by
/// (of a language model bf16, where there is that), else fp32. TPUs train in bf16, and so do language models that train
/// `to_an_end`, on so many tokens: narrower formats are those of benchmarks, and of few such trainings.
UsualPrecision usual_precision(const Evidence& evidence, const Model& model, const AcceleratorSpec& accelerator,
                               bool to_an_end = false);

}  // namespace mlsim::sim
