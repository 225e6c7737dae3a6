#include <fmt/format.h>

#include "workloads/model/layer_work.hpp"
#include "workloads/model/operators/operator_family.hpp"
#include "workloads/model/operators/shape_rule.hpp"

namespace mlsim::workloads {
namespace {

constexpr Seconds kLongestHostTime{3600};

Seconds time_of(const Document& time, const char* what) {
  const Seconds seconds = time.quantity<Seconds>();
  if (seconds <= Seconds{} || seconds > kLongestHostTime)
    throw time.error(fmt::format("the time of {} must be positive and at most 1 h", what));
  return seconds;
}

void host_work_shape(const LayerEntry& entry, Layer& layer) {
  layer.host_time = time_of(entry.required("time"), "a sample on the host");
  if (const auto batch = entry.option("batch_time")) layer.batch_time = time_of(*batch, "a batch in one program");
  if (const auto branches = entry.option("branches")) layer.branches = branches->count();
}

}  // namespace

Operators host_operators() {
  return {{LayerKind::host_work,
           "host_work",
           OperatorClass::host,
           {"time", "batch_time", "branches"},
           {},
           host_work_shape,
           nullptr,
           nullptr,
           elementwise_layer_work,
           elementwise_kept}};
}

}  // namespace mlsim::workloads
