#include "reports/pages/sections.hpp"

#include <fmt/format.h>

#include "reports/figure_text.hpp"
#include "reports/renderers/renderers.hpp"

namespace mlsim::reports {
namespace {

PageSection timeline_section(const Timeline& timeline) {
  PageSection section{"timeline", "The step from begin to end", {}};
  const std::string summary =
      fmt::format("what {} class{} of ranks do on each stream from 0 to {}.", timeline.class_size.size(),
                  timeline.class_size.size() == 1 ? "" : "es", figure_text(timeline.end()));
  section.blocks.emplace_back(PageTimeline{"One step, by class of ranks and stream", summary, timeline});
  section.blocks.emplace_back(PageTable{timeline_table(timeline), true});
  return section;
}

PageSection left_out_section(const std::string& why) {
  return {"what-if", "What more of a resource would save", {PageText{"Left out: " + why + "."}}};
}

}  // namespace

std::vector<PageSection> step_sections(const JobStudy& study) {
  const PagePoints sizes = answered_sizes(study.scaling);
  return {step_section(sizes, kBySize), memory_section(sizes, kBySize), timeline_section(study.timeline),
          study.explanation ? what_if_section(*study.explanation) : left_out_section(study.unexplained)};
}

}  // namespace mlsim::reports
