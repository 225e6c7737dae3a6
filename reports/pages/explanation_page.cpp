#include "reports/pages/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/answers/answer_texts.hpp"
#include "reports/figure_text.hpp"

namespace mlsim::reports {
namespace {

constexpr std::size_t kBarWidth = 20;
constexpr double kWorthSaying = 0.005;  // share of the step; less is "nothing" to a buyer

double share_of(Seconds time, const Explanation& e) { return e.step_time.value > 0 ? time / e.step_time : 0; }

// Writes "41.0 ms compute, 3.00 ms exchange" where a segment mixes kinds of work.
std::string mixture(const PathSegment& segment) {
  std::vector<std::string> parts;
  const auto add = [&](Seconds time, const char* what) {
    if (time.value > 0) parts.push_back(fmt::format("{} {}", figure_text(time), what));
  };
  add(segment.compute, "compute");
  add(segment.communication, "exchange");
  add(segment.host, "host");
  add(segment.wait, "waiting");
  if (parts.size() < 2) return {};
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

Table path_table(const Explanation& e) {
  Table table{
      "",
      "",
      {{"Critical path"}, figure_column("from"), figure_column("time"), figure_column("share"), name_column(""), {""}}};
  for (const PathSegment& segment : e.path) {
    const double share = share_of(segment.time(), e);
    table.rows.push_back({"  " + segment.what, figure_text(segment.begin), figure_text(segment.time()),
                          percent_text(share), share_bar(share, kBarWidth), mixture(segment)});
  }
  table.rows.push_back({"  whole step", "", figure_text(e.step_time), percent_text(1), ""});
  return table;
}

Table resource_table(const Explanation& e) {
  Table table = table_of(word_columns("Made of"), figure_columns("time", "share"), name_columns(""));
  Seconds all;
  for (const ResourceShare& share : e.resources) {
    all += share.time;
    const double part = share_of(share.time, e);
    table.rows.push_back(
        {"  " + share.resource, figure_text(share.time), percent_text(part), share_bar(part, kBarWidth)});
  }
  table.rows.push_back({"  whole step", figure_text(all), percent_text(share_of(all, e)), ""});
  return table;
}

// A zero is written without a sign.
std::string elasticity_text(double elasticity) {
  const std::string text = fmt::format("{:+.2f}", elasticity);
  return text == "-0.00" || text == "+0.00" ? "0" : text;
}

Table elasticity_table(const Explanation& e) {
  Table table = table_of(word_columns("With"), figure_columns("step", "saves", "samples/s", "elasticity"));
  for (const ResourceElasticity& each : e.elasticities) {
    table.rows.push_back({"  " + more_text(each), figure_text(each.changed_step),
                          std::abs(each.saved) < 5e-4 ? "nothing" : percent_text(each.saved),
                          fmt::format("x{:.2f}", each.throughput), elasticity_text(each.elasticity)});
  }
  return table;
}

// Says what the same changes do to the whole job, in time and money.
Table job_table(const Explanation& e) {
  Table table = table_of(word_columns("The job with"), figure_columns("time", "bill"));
  for (const JobChange& change : e.job)
    table.rows.push_back({"  " + change.change, change_text(change.time, max(change.time, -change.time)),
                          change.cost ? change_text(*change.cost) : "-"});
  return table;
}

// Says what spare nodes, quicker checkpoints and the like do to the share of time in which a long job gets on.
Table goodput_table(const Explanation& e) {
  Table table = table_of(word_columns("Goodput with"), figure_columns("share", "trains more"));
  const double now = e.goodput.front().share;
  for (const GoodputChange& change : e.goodput)
    table.rows.push_back({"  " + change.change, percent_text(change.share),
                          change.share == now ? "-" : fmt::format("{:+.1f} %", 100 * (change.share / now - 1))});
  return table;
}

// Writes "Doubling the NIC bandwidth would save 21.0 % of the step, ...".
std::string advice(const Explanation& e) {
  std::string text;
  for (const ResourceElasticity& each : e.elasticities) {
    if (each.saved < kWorthSaying) continue;
    const std::string what = fmt::format("{} the {}", each.change == "halved" ? "halving" : "doubling", each.resource);
    text += text.empty() ? fmt::format("{} would save {} of the step", what, percent_text(each.saved))
                         : fmt::format(", {} {}", what, percent_text(each.saved));
  }
  if (text.empty()) return "No single resource that is doubled would shorten the step by half a percent.";
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text + ".";
}

}  // namespace

Page explanation_page(const Explanation& e) {
  Page page{fmt::format("{} on {} x {}: {} a step", e.workload, e.accelerators,
                        e.accelerator.empty() ? e.topology : e.accelerator, figure_text(e.step_time)),
            {fmt::format("{}, {}, global batch {}, {} fidelity", e.topology, e.parallelism, figure_text(e.global_batch),
                         e.fidelity)},
            {},
            ""};
  if (!e.chosen.text.empty()) page.add({PageText{"Chosen: " + e.chosen.text}});
  for (Table& table : std::vector{path_table(e), resource_table(e), elasticity_table(e)})
    page.add({PageTable{std::move(table)}});
  if (!e.job.empty()) page.add({PageTable{job_table(e)}});
  if (!e.goodput.empty()) page.add({PageTable{goodput_table(e)}});
  page.add({PageText{advice(e)}});
  if (!e.measure_next.empty()) page.add({PageText{"Measure next"}, PageList{measure_next_items(e.measure_next)}});
  if (!e.warnings.empty()) page.add({PageList{e.warnings, true}});
  return page;
}

}  // namespace mlsim::reports
