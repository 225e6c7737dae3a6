#include "workloads/model/layer_work.hpp"
#include "workloads/model/operators/operator_family.hpp"
#include "workloads/model/operators/shape_rule.hpp"

namespace mlsim::workloads {
namespace {

constexpr Seconds kLongestHostTime{3600};

void host_work_shape(const LayerEntry& entry, Layer& layer) {
  const Document time = entry.required("time");
  layer.host_time = time.quantity<Seconds>();
  if (layer.host_time <= Seconds{} || layer.host_time > kLongestHostTime) {
    throw time.error("the time of a sample on the host must be positive and at most 1 h");
  }
}

}  // namespace

Operators host_operators() {
  return {{LayerKind::host_work,
           "host_work",
           OperatorClass::host,
           {"time"},
           {},
           host_work_shape,
           nullptr,
           nullptr,
           elementwise_layer_work,
           elementwise_kept}};
}

}  // namespace mlsim::workloads
