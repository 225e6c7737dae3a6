// mlsim-cpu measures kernels of a processor for mlsim calibrate, order by order from stdin; or it runs whole steps.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "calibrate/bench.hpp"
#include "calibrate/namespace.hpp"
#include "calibrate/programs/program_main.hpp"
#include "calibrate/step/step_report.hpp"
#include "core/text/errors.hpp"
#include "kernels/cpu/cpu_kernel.hpp"

namespace mlsim::calibrate {
namespace {

// Returns the clock of the slowest core now, as the system counts it: "2.70 GHz"; empty where it does not. In a
// virtual machine that is often the nominal clock.
std::string cpu_clock() {
  double slowest = std::numeric_limits<double>::infinity();
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(':');
    if (line.starts_with("cpu MHz") && colon != std::string::npos)
      slowest = std::min(slowest, std::strtod(line.c_str() + colon + 1, nullptr));
  }
  return slowest < std::numeric_limits<double>::infinity() ? fmt::format("{:.2f} GHz", slowest / 1000) : "";
}

// A `CpuBench` makes ready what an order wants measured on a processor.
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

constexpr const char* kUsage =
    "mlsim-cpu                       answers measuring orders, a line each, from stdin\n"
    "mlsim-cpu --versions            versions of what measures\n"
    "mlsim-cpu --step WORKLOAD       the step really run beside the sum of its kernels, as JSON\n"
    "          [--batch N] [--runs N] [--threads N]\n";

int whole_number(const std::string& option, const std::string& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw InputError(option, "\"" + text + "\" is not a whole number");
  return number;
}

RealStepOrder step_order(const std::vector<std::string>& words) {
  RealStepOrder order;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::string& option = words[i];
    if (i + 1 == words.size()) throw InputError(option, "needs a value");
    const std::string& value = words[i + 1];
    if (option == "--step") {
      order.workload = value;
    } else if (option == "--batch") {
      order.batch = whole_number(option, value);
    } else if (option == "--runs") {
      order.runs = whole_number(option, value);
    } else if (option == "--threads") {
      order.threads = whole_number(option, value);
    } else {
      throw InputError(unknown_word("option", option, {"--step", "--batch", "--runs", "--threads"}));
    }
  }
  return order;
}

void run(const std::vector<std::string>& words) {
  if (words.empty()) {
    CpuBench bench;
    serve(bench, std::cin, std::cout);
  } else if (words.front() == "--help") {
    std::cout << kUsage;
  } else if (words.front() == "--versions") {
    std::cout << versions_line(cpu_versions()) << std::endl;
  } else if (words.front() == "--step") {
    std::cout << to_json(step_report(step_order(words))) << std::endl;
  } else {
    throw InputError(unknown_word("option", words.front(), {"--help", "--versions", "--step"}));
  }
}

}  // namespace

}  // namespace mlsim::calibrate

int main(int argc, char** argv) {
  return mlsim::calibrate::program_main("mlsim-cpu", argc, argv, mlsim::calibrate::run);
}
