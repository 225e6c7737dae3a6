// The timeline of a step is drawn here: lanes of classes of ranks and their streams, time to the right.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "reports/page/table.hpp"
#include "sim/step/timeline.hpp"

namespace mlsim::reports {

/// At most this many classes of ranks are drawn, the first ones; fewer where they have thousands of spans.
inline constexpr std::size_t kDrawnClasses = 8;

/// The drawing is an svg element as wide as its place. Spans of one part that follow each other more closely than a
/// thousandth of the step are drawn as one.
std::string timeline_svg(const Timeline& timeline, const std::string& title, const std::string& summary);

/// Says what each stream of the drawn classes does when: parts of the step, from, until, and how much of it at work.
Table timeline_table(const Timeline& timeline);

}  // namespace mlsim::reports
