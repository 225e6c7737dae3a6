#include "calibrate/environment.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>
#include <iterator>
#include <thread>

#include "core/quantile.hpp"
#include "core/text/spelling.hpp"

namespace mlsim::calibrate {
namespace {

std::string file_text(const char* path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Returns what follows the key on its line, as "PRETTY_NAME=" or "model name :" of a file.
std::string value_after(const std::string& text, const std::string& key) {
  const auto at = text.find(key);
  if (at == std::string::npos) return {};
  const auto line = text.substr(at + key.size(), text.find('\n', at) - at - key.size());
  const auto begin = line.find_first_not_of(" \t:=\""), end = line.find_last_not_of(" \t\"");
  return begin == std::string::npos ? std::string() : line.substr(begin, end - begin + 1);
}

}  // namespace

std::string time_text(std::time_t moment) { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(moment)); }

Environment host_environment() {
  Environment environment = hardware_environment();
  utsname system{};
  if (::uname(&system) == 0) {
    environment["host"] = system.nodename;
    const std::string distribution = value_after(file_text("/etc/os-release"), "PRETTY_NAME=");
    environment["os"] =
        fmt::format("{}{}{} {}", distribution, distribution.empty() ? "" : ", ", system.sysname, system.release);
  }
  environment["processor"] = processor_model(file_text("/proc/cpuinfo"));
  return environment;
}

std::string processor_model(const std::string& cpuinfo) {
  for (const std::string key : {"model name", "Model", "cpu model", "cpu\t"}) {
    const std::string model = value_after(cpuinfo, key);
    if (!model.empty()) return model;
  }
  return "processor";
}

std::string gpu_slug(const std::string& model) {
  // The catalogue spells these marketing names otherwise.
  static const Environment others{{"h100-80gb-hbm3", "h100-sxm5"}, {"h200", "h200-sxm"},
                                  {"p100-sxm2-16gb", "p100-sxm2"}, {"p100-pcie-16gb", "p100-pcie"},
                                  {"v100-pcie-16gb", "v100-pcie"}, {"a100-80gb-pcie", "a100-pcie-80gb"}};
  const std::string name = slug(model, {"nvidia ", "tesla "});
  const auto found = others.find(name);
  return found == others.end() ? name : found->second;
}

int available_threads() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

int machine_threads() { return static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN))); }

std::string clock_remark(const MeasureReply& reply) {
  const auto at = reply.clock.find("; ");
  return at == std::string::npos ? "" : reply.clock.substr(at + 2);
}

Environment clock_environment(const std::vector<MeasureReply>& replies) {
  std::vector<double> rates;  // GHz
  std::map<std::string, int> remarks;
  for (const auto& reply : replies) {
    double rate = 0;
    const auto begin = reply.clock.data(), end = begin + reply.clock.size();
    if (std::from_chars(begin, end, rate).ec == std::errc() && rate > 0)
      rates.push_back(reply.clock.find(" MHz") != std::string::npos ? rate / 1000 : rate);
    if (const std::string remark = clock_remark(reply); !remark.empty()) ++remarks[remark];
  }
  Environment environment;
  if (rates.empty()) return environment;
  std::sort(rates.begin(), rates.end());
  environment["clock"] =
      fmt::format("{:.2f} to {:.2f} GHz, median {:.2f}", rates.front(), rates.back(), quantile(rates, 0.5));
  std::string text;
  for (const auto& [remark, times] : remarks)
    text += fmt::format("{}{} ({} times)", text.empty() ? "" : ", ", remark, times);
  if (!text.empty()) environment["throttling"] = text;
  return environment;
}

}  // namespace mlsim::calibrate
