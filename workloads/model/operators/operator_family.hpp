// Each function gives the entries of one family for the operator table; workloads/model/operator.cpp joins them.
#pragma once

#include <vector>

#include "workloads/model/operator.hpp"

namespace mlsim::workloads {

using Operators = std::vector<Operator>;

Operators convolution_operators();
Operators dense_operators();
Operators lstm_operators();
Operators attention_operators();
Operators embedding_operators();
Operators decoder_operators();      // what decoder-only language models add to the others
Operators elementwise_operators();  // normalisations, pointwise layers, pooling, views and losses
Operators host_operators();

}  // namespace mlsim::workloads
