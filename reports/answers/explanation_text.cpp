#include "reports/answers/explanation_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "reports/answers/measure_next_text.hpp"
#include "reports/figure_text.hpp"
#include "reports/share_bar.hpp"
#include "reports/text_table.hpp"
#include "reports/wrapped_text.hpp"

namespace mlsim::reports {
namespace {

constexpr std::size_t kBarWidth = 32;
constexpr double kWorthSaying = 0.005;  // share of the step; less is "nothing" to a buyer

double share_of(Seconds time, const Explanation& e) { return e.step_time.value > 0 ? time / e.step_time : 0; }

// "41.0 ms compute, 3.00 ms exchange" where a segment mixes kinds of work.
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

std::string path_table(const Explanation& e) {
  TextTable table{{{"Critical path", Align::left},
                   {"from", Align::right, true},
                   {"time", Align::right, true},
                   {"share", Align::right, true},
                   {"", Align::left}},
                  {}};
  for (const PathSegment& segment : e.path) {
    const double share = share_of(segment.time(), e);
    const std::string mixed = mixture(segment);
    table.rows.push_back({"  " + segment.what, figure_text(segment.begin), figure_text(segment.time()),
                          percent_text(share), mixed.empty() ? share_bar(share, kBarWidth) : mixed});
  }
  table.rows.push_back({"  whole step", "", figure_text(e.step_time), percent_text(1), ""});
  return to_text(table);
}

std::string resource_table(const Explanation& e) {
  TextTable table{{{"Made of", Align::left}, {"time", Align::right}, {"share", Align::right}, {"", Align::left}}, {}};
  Seconds all;
  for (const ResourceShare& share : e.resources) {
    all += share.time;
    const double part = share_of(share.time, e);
    table.rows.push_back(
        {"  " + share.resource, figure_text(share.time), percent_text(part), share_bar(part, kBarWidth)});
  }
  table.rows.push_back({"  whole step", figure_text(all), percent_text(share_of(all, e)), ""});
  return to_text(table);
}

std::string change_text(const ResourceElasticity& elasticity) {
  return elasticity.change == "halved" ? fmt::format("half the {}", elasticity.resource)
                                       : fmt::format("twice the {}", elasticity.resource);
}

// Without the sign of a zero.
std::string elasticity_text(double elasticity) {
  const std::string text = fmt::format("{:+.2f}", elasticity);
  return text == "-0.00" || text == "+0.00" ? "0" : text;
}

std::string elasticity_table(const Explanation& e) {
  TextTable table{{{"With", Align::left},
                   {"step", Align::right},
                   {"saves", Align::right},
                   {"samples/s", Align::right},
                   {"elasticity", Align::right}},
                  {}};
  for (const ResourceElasticity& each : e.elasticities) {
    table.rows.push_back({"  " + change_text(each), figure_text(each.changed_step),
                          std::abs(each.saved) < 5e-4 ? "nothing" : percent_text(each.saved),
                          fmt::format("x{:.2f}", each.throughput), elasticity_text(each.elasticity)});
  }
  return to_text(table);
}

// "Doubling the NIC bandwidth would save 21.0 % of the step, ..."
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

std::string explanation_text(const Explanation& e, bool color) {
  const std::string head = fmt::format("{} on {} x {}: {} a step", e.workload, e.accelerators,
                                       e.accelerator.empty() ? e.topology : e.accelerator, figure_text(e.step_time));
  std::string text = color ? fmt::format("\033[1m{}\033[0m\n", head) : head + "\n";
  text += paragraph(fmt::format("{}, {}, global batch {}, {} fidelity", e.topology, e.parallelism,
                                figure_text(e.global_batch), e.fidelity));
  text += "\n" + path_table(e) + "\n" + resource_table(e) + "\n" + elasticity_table(e) + "\n" + paragraph(advice(e));
  text += measure_next_text(e.measure_next);
  if (!e.measure_next.empty() && !e.warnings.empty()) text += "\n";
  for (const auto& warning : e.warnings) text += paragraph("Note: " + warning);
  return text;
}

}  // namespace mlsim::reports
