#include "reports/answers/answer_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/result/length_setting.hpp"
#include "core/text/units_text.hpp"
#include "reports/figure_text.hpp"
#include "reports/renderers/terminal_lines.hpp"

namespace mlsim::reports {
namespace {

constexpr std::size_t kMargin = 2, kColumnGap = 2;
constexpr std::size_t kLongestTarget = 16;  // a longer one stands behind its figures
constexpr std::size_t kNarrowNote = 18;     // with less room for words a row is a paragraph

// An `AnswerRow` has "30.4 s" of "Time to 75.9 % top-1", its range, and a few words.
struct AnswerRow {
  std::string label, figure, range, note;
};

std::string time_note(const Prediction& p) {
  const std::string& target = p.inputs.target;
  std::string note = target.size() > kLongestTarget ? "9 of 10 runs; " + target : "9 of 10 runs";
  if (p.job && p.job->overrun > Seconds(0))
    note += fmt::format(", {} of it beyond its steps", figure_text(p.job->overrun));
  return note;
}

AnswerRow time_row(const Prediction& p) {
  const std::string& target = p.inputs.target;
  const std::string label = target.empty() || target.size() > kLongestTarget ? "Time to target" : "Time to " + target;
  if (!p.time_to_target)
    return {label, "-", "",
            fmt::format("not known; --set {}=N gives the job an end", length_setting(p.language.has_value()))};
  const auto& range = p.interval.time_to_target;
  return {label, figure_text(*p.time_to_target), range ? interval_text<Seconds>(*range) : "", time_note(p)};
}

// The price's date is the one asked for, else the last month in which it was the price: "2022-12", "since 2026-05".
std::string price_date_text(const Prediction::Inputs& in) {
  const std::string& date = in.price_date;
  const std::string_view open_end = " onward";
  if (const auto asked = in.settings.find("price_date"); asked != in.settings.end()) return asked->second;
  if (date.ends_with(open_end)) {
    const auto entry = date.rfind(' ', date.size() - open_end.size() - 1);
    const auto from = entry == std::string::npos ? 0 : entry + 1;
    return "since " + date.substr(from, date.size() - open_end.size() - from);
  }
  const auto last = date.rfind(" to ");
  return last == std::string::npos ? date : date.substr(last + 4);
}

// Writes a price as "8 192 USD/h (2022-12)", one of the user's as "3.00 USD/h (your own, prices.yaml:2)".
std::string price_words(const Prediction& p) {
  std::string text = figure_text(Usd(p.price->value * 3600)) + "/h";
  if (p.inputs.price_kind == PriceKind::preemptible) text += " preemptible";
  const std::string own = own_price_text(p);
  const std::string date = own.empty() ? price_date_text(p.inputs) : own;
  return date.empty() ? text : text + " (" + date + ")";
}

// A job without an end costs what its tokens do, where it has tokens.
AnswerRow endless_cost_row(const Prediction& p) {
  constexpr double kTokens = 1e9;
  if (!p.language || !(p.language->tokens > PerSecond(0)))
    return {"Cost", "-", "", price_words(p) + ", but the job has no end"};
  return {"Cost", figure_text(*p.price * (kTokens / p.language->tokens)), "",
          fmt::format("each 1 G tokens by steps alone; {}", price_words(p))};
}

AnswerRow cost_row(const Prediction& p) {
  if (!p.price) return {"Cost", "-", "", "no price of this system is known; --price pays your own"};
  if (!p.cost || !p.job) return endless_cost_row(p);
  const auto& range = p.interval.cost;
  std::string note = fmt::format("{} billed at {}", figure_text(p.job->billed), price_words(p));
  if (p.cost_without_init && p.job->init.value > 0)
    note += fmt::format("; {} without initialisation", figure_text(*p.cost_without_init));
  if (p.purchase) note += "; " + purchase_note(*p.purchase);
  return {"Cost", figure_text(*p.cost), range ? interval_text<Usd>(*range) : "", note};
}

AnswerRow energy_row(const Prediction& p) {
  const Prediction::Energy& energy = *p.energy;
  if (!energy.job_j) return {"Power", watts_text(energy.power_w), "", "of accelerators"};
  return {"Energy", joules_text(*energy.job_j), "", energy.carbon_kg ? carbon_text(*energy.carbon_kg) : ""};
}

AnswerRow throughput_row(const Prediction& p) {
  const Interval& step = p.interval.step_time;
  AnswerRow row{"Throughput", rate_text(p.throughput), "", ""};
  const bool given = p.inputs.settings.contains("throughput");
  if (!given && step[0] > 0 && step[1] > 0) {
    const double samples = p.throughput.value * p.step.time.value;
    row.range = rate_interval_text({samples / step[1], samples / step[0]});
  }
  row.note = given                       ? "as given"
             : p.inputs.accelerators > 1 ? whole_percent(p.scaling_efficiency) + " of linear"
                                         : "on one accelerator";
  return row;
}

AnswerRow tokens_row(const Prediction& p) {
  const Prediction::Language& language = *p.language;
  return {"Tokens", rate_text(language.tokens), "",
          fmt::format("{} and {} per accelerator{}", rate_text(language.tokens_per_accelerator),
                      to_text(language.model_rate), p.mfu ? ", MFU " + whole_percent(*p.mfu) : "")};
}

// Failures that cost less than a percent are only told of where they were asked for.
bool tells_goodput(const Prediction& p) {
  return p.goodput && (p.goodput->share < 0.99 || p.inputs.settings.contains("failures"));
}

AnswerRow goodput_row(const Prediction& p) {
  const Prediction::Goodput& goodput = *p.goodput;
  return {"Goodput", whole_percent(goodput.share), "",
          fmt::format("of a long job, with a failure every {} and a checkpoint of {} every {}",
                      figure_text(goodput.between_failures), figure_text(goodput.checkpoint),
                      figure_text(goodput.interval))};
}

AnswerRow published_row(const Prediction& p) {
  if (!p.nearest_published) return {"Published", "-", "", "no run of this workload is on record"};
  return {"Published", published_figure_text(*p.nearest_published), "", published_run_text(*p.nearest_published)};
}

AnswerRow trust_row(const Prediction& p) { return {"Trust", std::string(name(p.trust.level)), "", p.trust.why.text}; }

// Puts the rows in columns; where there is no room for words behind them, each row is a paragraph behind its label.
void put_rows(TerminalLines& page, const std::vector<AnswerRow>& rows) {
  std::size_t label = 0, figure = 0, range = 0;
  for (const AnswerRow& row : rows) {
    label = std::max(label, text_width(row.label));
    figure = std::max(figure, text_width(row.figure));
    range = std::max(range, text_width(row.range));
  }
  const std::size_t figures = kMargin + label + kColumnGap + figure + kColumnGap;  // columns before the ranges
  const bool narrow = figures + range + kColumnGap + kNarrowNote > page.width();
  for (const AnswerRow& row : rows) {
    const std::string head = std::string(kMargin, ' ') + padded(row.label, label + kColumnGap);
    if (narrow) {
      std::string text = row.figure;
      for (const std::string& words : {row.range, row.note})
        if (!words.empty()) text += ", " + words;
      page.item(head, text, text_width(head));
      continue;
    }
    std::string front = head + padded(row.figure, figure, true) + std::string(kColumnGap, ' ');
    if (!row.range.empty()) front += padded(row.range, range + kColumnGap);
    page.item(front, row.note, text_width(front));
  }
}

// The parts are "resnet50 on 4 096 x tpu-v3 (torus128x32)", "batch 65 536 (16 each)", ...
std::vector<std::string> question_parts(const Prediction& p) {
  const auto& in = p.inputs;
  std::string system = in.topology;
  const std::string said = "accelerator=" + in.accelerator;  // before or behind other options
  if (const auto at = system.find(":" + said); at != std::string::npos && !in.accelerator.empty())
    system.erase(at, said.size() + 1);
  std::vector<std::string> parts{
      fmt::format("{} on {} x {}{}", in.workload, figure_text(static_cast<double>(in.accelerators)),
                  in.accelerator.empty() ? in.topology : in.accelerator,
                  in.accelerator.empty() ? "" : " (" + system + ")"),
      fmt::format("batch {} ({} each)", figure_text(in.global_batch), figure_text(in.batch_per_accelerator)),
      std::string(name(in.precision))};
  if (!in.recipe.empty()) parts.push_back(in.recipe);
  if (in.parallelism != fmt::format("data={}", in.accelerators)) parts.push_back(in.parallelism);
  return parts;
}

std::string visible_bar(double share, std::size_t width) {
  const std::string bar = share_bar(share, width);
  return bar.empty() ? "▏" : bar;
}

// The parts stand behind their bars, all on one line where eight columns or more are left for the bars.
void put_step_bar(TerminalLines& page, const StepBreakdown& step) {
  const std::pair<const char*, Seconds> all[] = {
      {"compute", step.compute},  {"exchange", step.exposed_communication}, {"optimizer", step.optimizer},
      {"input", step.input_wait}, {"waiting", step.straggler_wait},         {"bubble", step.bubble},
      {"host", step.overhead}};
  const std::string head = "  Step " + figure_text(step.time) + "  ";
  constexpr std::size_t kLeastBar = 8, kMostBar = 24, kTwoLineBar = 16;
  std::vector<std::pair<double, std::string>> parts;
  std::size_t words = text_width(head);
  for (const auto& [label, time] : all) {
    const double share = step.time.value > 0 ? time / step.time : 0;
    if (!(share >= 0.005)) continue;  // less is no percent
    parts.emplace_back(share, fmt::format(" {} {}", label, whole_percent(share)));
    words += text_width(parts.back().second) + kColumnGap + 1;  // each bar may round up to a column more
  }
  const std::size_t room = page.width() > words ? page.width() - words : 0;
  const std::size_t bar = room < kLeastBar ? kTwoLineBar : std::min(room, kMostBar);
  std::vector<std::string> drawn;
  for (const auto& [share, text] : parts) drawn.push_back(visible_bar(share, bar) + text);
  std::string label = head;
  for (const std::string& line : joined_lines(drawn, "  ", page.width() - text_width(head))) {
    page.line(label + line);
    label = std::string(text_width(head), ' ');
  }
  if (parts.empty()) page.line("  Step " + figure_text(step.time));
}

void put_memory_bar(TerminalLines& page, const Prediction& p) {
  const auto& memory = p.memory;
  const bool known = memory.capacity.value > 0;
  const std::string head = "  Memory  ";
  const std::string bar = known ? share_bar(memory.per_accelerator / memory.capacity, 12) + " " : "";
  page.item(head,
            fmt::format("{}{}{}, batch {} of at most {} each", bar, figure_text(memory.per_accelerator),
                        known ? " of " + figure_text(memory.capacity) : "", figure_text(p.inputs.batch_per_accelerator),
                        figure_text(memory.largest_batch_per_accelerator)),
            text_width(head));
}

void put_ways_on(TerminalLines& page, const Prediction& p, bool sources) {
  std::vector<std::string> ways{"why: mlsim explain"};
  if (!sources && !p.provenance.empty()) ways.push_back(fmt::format("sources ({}): --sources", p.provenance.size()));
  if (!p.measure_next.empty()) ways.push_back(fmt::format("what to measure ({}): --verbose", p.measure_next.size()));
  ways.emplace_back("cheaper: mlsim plan");
  for (const std::string& line : joined_lines(ways, "   ", page.width() - kMargin))
    page.line(std::string(kMargin, ' ') + line);
}

}  // namespace

std::string answer_text(const Prediction& p, const AnswerStyle& style) {
  if (p.collective) return collective_text(p, style);
  TerminalLines page(style.color, std::max<std::size_t>(style.width, 40));
  page.lines(joined_lines(question_parts(p), " · ", page.width()), Style::bold);
  if (!p.inputs.chosen.text.empty()) page.item("  Chosen  ", p.inputs.chosen.text, kMargin + 8);
  page.line("");
  std::vector<AnswerRow> rows{time_row(p), cost_row(p)};
  if (p.energy) rows.push_back(energy_row(p));
  rows.push_back(throughput_row(p));
  if (p.language) rows.push_back(tokens_row(p));
  if (tells_goodput(p)) rows.push_back(goodput_row(p));
  for (AnswerRow& row : std::vector{published_row(p), trust_row(p)}) rows.push_back(std::move(row));
  if (p.measured) rows.push_back({"Measured", figure_text(p.measured->time), "", measured_step_text(*p.measured)});
  put_rows(page, rows);
  page.line("");
  put_step_bar(page, p.step);
  put_memory_bar(page, p);
  page.line("");
  for (const std::string& item : layout_items(p.layouts)) page.item("  - ", item, kMargin + 2);
  if (!p.layouts.empty()) page.line("");
  if (const std::string limit = limit_text(p); !limit.empty()) page.item("  ", limit, kMargin);
  for (const std::string& warning : p.warnings) page.item("! ", warning, kMargin, Style::warning);
  put_ways_on(page, p, style.sources);
  if (style.sources) page.block(sources_text(p, page.width()));
  return page.text();
}

}  // namespace mlsim::reports
