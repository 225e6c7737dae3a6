#include "reports/interop/export_text.hpp"

#include <fmt/format.h>

#include <cstddef>

#include "core/text/units_text.hpp"

namespace mlsim::reports {
namespace {

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count_text(static_cast<double>(count)), what, count == 1 ? "" : "s");
}

std::size_t nodes_of(const ExecutionTrace& trace, EtKind kind) {
  std::size_t count = 0;
  for (const EtNode& node : trace.nodes) count += node.kind == kind ? 1 : 0;
  return count;
}

std::string files_text(const EtExport& exported, const std::string& prefix) {
  const std::size_t ranks = exported.ranks.size();
  const std::string last = ranks > 1 ? fmt::format(" to {}.{}.et", prefix, ranks - 1) : "";
  std::string text = fmt::format("{}.0.et{}: {}\n", prefix, last, counted(ranks, "rank"));
  if (!exported.groups.empty())
    text += fmt::format("{0}.groups.json: {1} (ASTRA-sim: --comm-group-configuration={0}.groups.json)\n", prefix,
                        counted(exported.groups.size(), "process group"));
  return text;
}

}  // namespace

std::string export_text(const EtExport& exported, const std::string& prefix, Seconds time, Seconds framework) {
  const ExecutionTrace& first = exported.ranks.front();
  std::string text = files_text(exported, prefix);
  text +=
      fmt::format("rank 0: {}, {}, {}, {}\n", counted(first.nodes.size(), "node"),
                  counted(nodes_of(first, EtKind::collective), "collective"),
                  counted(nodes_of(first, EtKind::send), "send"), counted(nodes_of(first, EtKind::receive), "receive"));
  text += fmt::format("simulated step: {}\n", to_text(time));
  if (framework > Seconds(0))
    text += fmt::format("not in the files: {} of the framework before the first kernel\n", to_text(framework));
  text +=
      fmt::format("whole microseconds: a rank's kernels are off by at most {} in sum", to_text(exported.rounding.most));
  if (exported.rounding.empty > 0)
    text += fmt::format("; {} of rank 0 became 0 us long, with the time in {} neighbours",
                        counted(exported.rounding.empty, "kernel"), exported.rounding.empty == 1 ? "its" : "their");
  return text + "\n";
}

}  // namespace mlsim::reports
