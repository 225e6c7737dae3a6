#include "reports/renderers/renderers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "reports/figure_text.hpp"
#include "reports/renderers/html_text.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::reports {
namespace {

constexpr std::array<const char*, 5> kPartNames{"input", "forward", "backward", "gradient exchange", "optimizer"};
constexpr std::array<const char*, 5> kPartClasses{"input", "forward", "backward", "exchange", "optimizer"};
constexpr int kLabelHeight = 18, kLaneHeight = 22, kLaneGap = 8, kAxisHeight = 26;
constexpr int kTicks = 4;
constexpr std::size_t kDrawnSpans = 1500;

using Lane = std::pair<std::uint32_t, Stream>;  // class of ranks, stream

// A `DrawnSpan` stands for spans of a lane that are drawn as one.
struct DrawnSpan {
  StepPart part;
  Seconds begin, end, busy;
  std::string first, last;  // names
  int count;
};

using DrawnLanes = std::map<Lane, std::vector<DrawnSpan>>;

DrawnLanes lanes_of_classes(const Timeline& timeline, std::size_t classes) {
  const Seconds apart = timeline.end() / 1000;
  DrawnLanes lanes;
  for (const Span& span : timeline.spans) {
    if (span.rank_class >= classes || !(span.end > span.begin)) continue;
    auto& drawn = lanes[{span.rank_class, span.stream}];
    if (!drawn.empty() && drawn.back().part == span.part && span.begin - drawn.back().end <= apart) {
      DrawnSpan& last = drawn.back();
      last.end = max(last.end, span.end);
      last.busy += span.end - span.begin;
      last.last = span.name;
      ++last.count;
    } else {
      drawn.push_back({span.part, span.begin, span.end, span.end - span.begin, span.name, span.name, 1});
    }
  }
  return lanes;
}

// Draws as many classes as keep the drawing small.
DrawnLanes drawn_lanes(const Timeline& timeline) {
  for (std::size_t classes = std::min(kDrawnClasses, timeline.class_size.size());; --classes) {
    DrawnLanes lanes = lanes_of_classes(timeline, classes);
    std::size_t spans = 0;
    for (const auto& [lane, drawn] : lanes) spans += drawn.size();
    if (spans <= kDrawnSpans || classes <= 1) return lanes;
  }
}

std::string class_text(const Timeline& timeline, std::uint32_t rank_class) {
  const auto size = timeline.class_size[rank_class];
  return fmt::format("{} rank{}", figure_text(static_cast<double>(size)), size == 1 ? "" : "s");
}

std::string lane_text(const Timeline& timeline, const Lane& lane) {
  const std::string stream = kStreamNames[static_cast<std::size_t>(lane.second)];
  return timeline.class_size.size() == 1
             ? fmt::format("{}, all {}", stream, class_text(timeline, 0))
             : fmt::format("{}, class {} of {}", stream, lane.first, class_text(timeline, lane.first));
}

std::string rect(const DrawnSpan& span, Seconds step, int y) {
  const auto part = static_cast<std::size_t>(span.part);
  const std::string what = span.count == 1
                               ? span.first
                               : fmt::format("{}: {} to {} ({})", kPartNames[part], span.first, span.last, span.count);
  return fmt::format(
      "<rect class=\"part-{}\" x=\"{:.3f}%\" y=\"{}\" width=\"{:.3f}%\" height=\"{}\"><title>{}, {} from {}</title>"
      "</rect>\n",
      kPartClasses[part], 100 * (span.begin / step), y, std::max(0.2, 100 * ((span.end - span.begin) / step)),
      kLaneHeight, html_text(what), html_text(figure_text(span.end - span.begin)), html_text(figure_text(span.begin)));
}

std::string axis(Seconds step, int height) {
  std::string out;
  for (int i = 0; i <= kTicks; ++i) {
    const double at = static_cast<double>(i) / kTicks;
    const char* anchor = i == 0 ? "start" : i == kTicks ? "end" : "middle";
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0:g}%\" x2=\"{0:g}%\" y1=\"0\" y2=\"{1}\"/><text x=\"{0:g}%\" y=\"{2}\" "
        "text-anchor=\"{3}\">{4}</text>\n",
        100 * at, height - kAxisHeight + 4, height - 6, anchor, html_text(figure_text(at * step)));
  }
  return out;
}

}  // namespace

std::string timeline_svg(const Timeline& timeline, const std::string& title, const std::string& summary) {
  const Seconds step = timeline.end();
  const auto lanes = drawn_lanes(timeline);
  const int height = static_cast<int>(lanes.size()) * (kLabelHeight + kLaneHeight + kLaneGap) + kAxisHeight;
  std::string out = fmt::format(
      "<svg class=\"timeline\" role=\"img\" aria-label=\"{}\" width=\"100%\" height=\"{}\" "
      "xmlns=\"http://www.w3.org/2000/svg\">\n",
      html_text(title + ": " + summary), height);
  out += axis(step, height);
  int y = 0;
  for (const auto& [lane, spans] : lanes) {
    out += fmt::format("<text class=\"lane\" x=\"0\" y=\"{}\">{}</text>\n", y + kLabelHeight - 5,
                       html_text(lane_text(timeline, lane)));
    y += kLabelHeight;
    for (const DrawnSpan& span : spans) out += rect(span, step, y);
    y += kLaneHeight + kLaneGap;
  }
  return out + "</svg>\n";
}

Table timeline_table(const Timeline& timeline) {
  Table table{"timeline",
              "The step's timeline",
              {{"ranks"}, {"stream"}, {"part"}, {"from", "s"}, {"until", "s"}, {"at work", "s"}, {"pieces", "1"}}};
  for (const auto& [lane, spans] : drawn_lanes(timeline)) {
    for (const DrawnSpan& span : spans)
      table.rows.push_back({class_text(timeline, lane.first), kStreamNames[static_cast<std::size_t>(lane.second)],
                            kPartNames[static_cast<std::size_t>(span.part)], cell(span.begin), cell(span.end),
                            cell(span.busy), count_cell(span.count)});
  }
  return table;
}

}  // namespace mlsim::reports
