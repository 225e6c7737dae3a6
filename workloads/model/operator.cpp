#include "workloads/model/operator.hpp"

#include <algorithm>
#include <stdexcept>

#include "workloads/model/operators/operator_family.hpp"

namespace mlsim::workloads {
namespace {

// The table stands in the order of LayerKind.
Operators joined_table() {
  Operators table;
  for (const auto family : {convolution_operators, dense_operators, lstm_operators, attention_operators,
                            embedding_operators, decoder_operators, elementwise_operators, host_operators}) {
    const Operators entries = family();
    table.insert(table.end(), entries.begin(), entries.end());
  }
  std::sort(table.begin(), table.end(), [](const Operator& a, const Operator& b) { return a.kind < b.kind; });
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].kind) != i) throw std::logic_error("the operator table has a gap");
  }
  return table;
}

const Operators& table() {
  static const Operators operators = joined_table();
  return operators;
}

}  // namespace

const Operator& operator_of(LayerKind kind) { return table()[static_cast<std::size_t>(kind)]; }

const Words<LayerKind>& words(LayerKind) {
  static const auto known = [] {
    Words<LayerKind> all{"layer kind", {}};
    for (const auto& op : table()) all.names.emplace_back(op.name);
    return all;
  }();
  return known;
}

}  // namespace mlsim::workloads
