// A report as a value: sentences, tables, charts, a timeline, sliders and lists under headings, whatever it is written
// as. Pages of a prediction, a comparison, a validation are arrangements of the same blocks.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "reports/namespace.hpp"
#include "reports/page/page_chart.hpp"
#include "reports/page/page_table.hpp"
#include "sim/step/timeline.hpp"

namespace mlsim::reports {

struct PageText {
  std::string text;
};

struct PageList {
  std::vector<std::string> items;
  bool warnings = false;
};

/// Something to be typed into a shell.
struct PageCommand {
  std::string text;
};

/// The step of each class of ranks, a lane for each stream.
struct PageTimeline {
  std::string title, summary;
  Timeline timeline;
};

/// Sliders of price, deadline and batch over a table of candidates, each with time and what is billed; the cheapest that
/// ends in time is answered on the page itself. The table is a candidate_table().
struct PageSliders {
  std::string id, table;
  double deadline = 0;                    // s, where the slider stands first
  double confidence = 0.9;                // probability with which a candidate must end in time
  std::vector<std::string> systems = {};  // whose prices have sliders, the others keep theirs; empty: all
};

/// "system", "accelerators", "global batch", "time", "billed" with their ranges, and "price" of all accelerators.
PageTable candidate_table(const std::string& id, const std::string& caption);

/// A table; `folded` shows its caption until it is opened.
struct PageTableBlock {
  PageTable table;
  bool folded = false;
};

using PageBlock = std::variant<PageText, PageList, PageCommand, PageTableBlock, PageChart, PageTimeline, PageSliders>;

struct PageSection {
  std::string id, heading;
  std::vector<PageBlock> blocks;
};

struct ReportPage {
  std::string title;
  std::vector<std::string> answer;  // sentences, the most wanted first
  std::vector<PageSection> sections;
  std::string made_by;  // "mlsim 0.3.0"
};

/// All tables of the page, in its order.
std::vector<const PageTable*> tables_of(const ReportPage& page);

}  // namespace mlsim::reports
