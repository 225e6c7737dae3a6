// A `CpuBench` makes ready what an order wants measured on a processor.
#pragma once

#include <memory>
#include <string>

#include "calibrate/bench.hpp"
#include "calibrate/namespace.hpp"
#include "core/text/errors.hpp"
#include "kernels/cpu/cpu_kernel.hpp"
#include "kernels/cpu/framework/cpu_clock.hpp"

namespace mlsim::calibrate {

class CpuBench : public Bench {
 public:
  std::unique_ptr<Timed> prepare(const MeasureOrder& order) override {
    const auto space = order.subject.find(' ');
    const std::string kind = order.subject.substr(0, space);
    const std::string what = space == std::string::npos ? "" : order.subject.substr(space + 1);
    if (kind == "kernel") return cpu_kernel(parse_kernel_key(what), order.threads);
    if (kind == "probe") return cpu_probe(what, order.threads);
    throw InputError("order", unknown_word("subject", kind, {"kernel", "probe"}));
  }

  std::string clock() override { return cpu_clock(); }
};

}  // namespace mlsim::calibrate
