#include "reports/pages/pages.hpp"

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

std::vector<PageBlock> file_lines(const EtExport& exported, const std::string& prefix) {
  const std::size_t ranks = exported.ranks.size();
  const std::string last = ranks > 1 ? fmt::format(" to {}.{}.et", prefix, ranks - 1) : "";
  std::vector<PageBlock> lines{PageText{fmt::format("{}.0.et{}: {}", prefix, last, counted(ranks, "rank"))}};
  if (!exported.groups.empty())
    lines.emplace_back(
        PageText{fmt::format("{0}.groups.json: {1} (ASTRA-sim: --comm-group-configuration={0}.groups.json)", prefix,
                             counted(exported.groups.size(), "process group"))});
  return lines;
}

}  // namespace

Page export_page(const EtExport& exported, const std::string& prefix, Seconds time, Seconds framework) {
  const ExecutionTrace& first = exported.ranks.front();
  std::vector<PageBlock> lines = file_lines(exported, prefix);
  const auto say = [&](std::string sentence) { lines.emplace_back(PageText{std::move(sentence)}); };
  say(fmt::format("rank 0: {}, {}, {}, {}", counted(first.nodes.size(), "node"),
                  counted(nodes_of(first, EtKind::collective), "collective"),
                  counted(nodes_of(first, EtKind::send), "send"),
                  counted(nodes_of(first, EtKind::receive), "receive")));
  say("simulated step: " + to_text(time));
  if (framework > Seconds(0))
    say(fmt::format("not in the files: {} of the framework before the first kernel", to_text(framework)));
  std::string rounding =
      fmt::format("whole microseconds: a rank's kernels are off by at most {} in sum", to_text(exported.rounding.most));
  if (exported.rounding.empty > 0)
    rounding += fmt::format("; {} of rank 0 became 0 us long, with the time in {} neighbours",
                            counted(exported.rounding.empty, "kernel"), exported.rounding.empty == 1 ? "its" : "their");
  say(rounding);
  Page page;
  page.add(std::move(lines));
  return page;
}

}  // namespace mlsim::reports
