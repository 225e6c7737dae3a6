// These functions ask cuDNN about an operation graph without a GPU: it plans for one whose properties it is told.
#pragma once

#include <string>

#include "kernels/cuda/cudnn/operation_graph.hpp"

namespace mlsim::kernels::cuda {

/// Makes the graph's descriptors. Throws Unavailable where the library refuses them.
void describe_graph(const OperationGraph& graph);

/// Counts the kernels that the library offers for a GPU whose properties stand in its own JSON. Kernels that it would
/// have to compile are offered where a driver is installed. Throws Unavailable before cuDNN 9.8, too.
std::size_t offered_kernels(const OperationGraph& graph, Precision precision, const std::string& properties);

/// Says why the first of them cannot be made; empty where it can. Throws as offered_kernels, and where none is offered.
std::string first_kernel_refusal(const OperationGraph& graph, Precision precision, const std::string& properties);

}  // namespace mlsim::kernels::cuda
