// These sections make up the pages of several results; each is a heading with blocks.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/result/explanation.hpp"
#include "core/result/prediction.hpp"
#include "core/units.hpp"
#include "replay/validation/lab_runs.hpp"
#include "reports/namespace.hpp"
#include "reports/page/page.hpp"
#include "studies/compare/job_study.hpp"
#include "studies/compare/scaling.hpp"
#include "studies/plan/job_bill.hpp"
#include "studies/plan/plan.hpp"
#include "validation/scores/score.hpp"

namespace mlsim::reports {

/// A `PagePoint` is an answer among several that a section sets side by side: a size of one system, or a column of a
/// comparison.
struct PagePoint {
  std::string label;  // what tells it from the others: "4 096", "dgx-a100 precision=tf32"
  std::string system;
  const Prediction* prediction = nullptr;  // never null
};

using PagePoints = std::vector<PagePoint>;

/// A `PageOrigin` says how a page came about.
struct PageOrigin {
  std::string command;  // as it was typed
  std::string made_by;  // "mlsim 0.3.0"
};

/// Lists the figures behind one answer, or behind several with the label of each.
PageSection basis_section(const PagePoints& points);

/// Lists the settings of one answer, and the command.
PageSection repeat_section(const PageOrigin& origin, const Prediction* answer);

/// `by` is what the points differ in: "accelerators", "column".
PageSection step_section(const PagePoints& points, const std::string& by);
PageSection memory_section(const PagePoints& points, const std::string& by);

/// This section shows how a job speeds up with more accelerators: chart and table, the ideal line, efficiency and the
/// knee.
PageSection scaling_section(const Scaling& scaling);

/// Lists the sizes that were answered, told apart by their accelerators.
PagePoints answered_sizes(const Scaling& scaling);

/// A `PageCandidate` is one way to do a job among several that a page compares by time and cost.
struct PageCandidate {
  std::string label;   // what tells it from the others: "4 096", "dgx-a100 precision=tf32"
  std::string system;  // whose price it pays
  double accelerators = 1, global_batch = 1;
  JobBill bill;
};

using PageCandidates = std::vector<PageCandidate>;

/// Makes candidates of those points that have a time to target.
PageCandidates page_candidates(const PagePoints& points);

inline constexpr std::size_t kPriceSliders = 6;  // more would not be used

/// The section has a chart of all candidates with the front of those that no other beats in both, and their table; a
/// sentence where there are none. `job` tells the section from those of other jobs on the page.
PageSection cost_section(const PageCandidates& candidates, const std::string& job = {});

/// A `SliderStart` is where sliders stand first and what they ask.
struct SliderStart {
  Seconds deadline;
  double confidence = 0.9;                // probability with which a candidate must end in time
  std::vector<std::string> systems = {};  // whose prices have sliders; empty: all
};

/// Sliders start on the front of candidates: a deadline that the cheapest keeps in nine runs of ten, and the prices of
/// the systems.
SliderStart slider_start(const PageCandidates& candidates);

/// The section says at what price each candidate costs as much as the cheapest, and has sliders over the table of
/// cost_section(). `by` is what the candidates differ in. There is a sentence where there are none.
PageSection price_section(const PageCandidates& candidates, const std::string& by, const SliderStart& start);

/// Writes "twice the NIC bandwidth".
std::string more_text(const ResourceElasticity& change);

PageSection what_if_section(const Explanation& explanation);

/// This is the heading under which the sizes of a job stand side by side.
inline constexpr const char* kBySize = "number of accelerators";

/// The sections are the step and the memory by size, the timeline of the step, and what more of each resource would
/// save.
std::vector<PageSection> step_sections(const JobStudy& study);

/// Writes "time to accuracy".
std::string metric_words(Metric metric);
/// Returns the unit of a page's column for the metric's values.
std::string unit_of(Metric metric);

/// The blocks are a chart and a folded table of cases of one metric, under `id`; lines at `bound` to either side of the
/// diagonal where it is more than 0. One or two cases have no chart.
std::vector<PageBlock> scatter_blocks(const std::string& id, const std::string& title,
                                      const std::vector<const CaseResult*>& results, double bound);

/// Published runs comparable with a job; a sentence where there are none.
PageSection published_section(const std::vector<CaseResult>& results);

/// This section of docs/accuracy.md sets steps of `mlsim replay` against their predictions.
PageSection lab_runs_section(const LabRuns& lab);

/// `prediction` is of a collective.
Page collective_answer_page(const Prediction& prediction, const PageOrigin& origin);

/// A `CollectivePlot` is one line: "gloo" and its times.
struct CollectivePlot {
  struct Point {
    Bytes payload;
    Seconds time;
  };
  std::string name;
  std::vector<Point> points;
};

/// The section draws time against payload, both logarithmic, a line each, over a table of the same.
PageSection curves_section(const std::vector<CollectivePlot>& lines);

/// Writes "bert to 0.72 MLM within 4.00 h and under 500 USD, 90 % sure".
std::string plan_title(const CapacityPlan& plan);

/// Says what to rent, or what is nearest where nothing meets the goal.
PageSection choice_section(const CapacityPlan& plan);

/// Lists the first of those that no other candidate beats in both time and cost, and the choice.
PageSection front_section(const CapacityPlan& plan);

/// Says what changes of the chosen system do, where the choice turns, and what a measurement is worth; without blocks
/// where there is nothing to say.
PageSection change_section(const CapacityPlan& plan);

/// Lists systems that are no candidates: the first with their reasons, the others counted.
PageSection left_out_section(const CapacityPlan& plan);

/// Writes "92 %"; never all or none.
std::string chance_text(double share);

/// A change is written with its sign; one that is nothing beside the whole job has none.
std::string change_text(Seconds change, Seconds whole);
std::string change_text(Usd change);

}  // namespace mlsim::reports
