#include "reports/pages/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "calibrate/environment.hpp"
#include "calibrate/sample_statistics.hpp"
#include "core/text/units_text.hpp"
#include "reports/figure_text.hpp"

namespace mlsim::reports {
namespace {

std::string threads_text(int threads) { return threads == 0 ? "" : std::to_string(threads); }

std::string share_or_blank(double share) { return share == 0 ? "" : fmt::format("{:.1f} %", 100 * share); }

std::string runs_text(double runs) { return runs == 0 ? "" : figure_text(runs); }

struct KernelRow {
  const PlannedMeasurement* planned = nullptr;
  const MeasureReply* reply = nullptr;
};

std::vector<KernelRow> measured_rows(const MeasurePlan& plan, const std::vector<MeasureReply>& replies) {
  std::vector<KernelRow> rows;
  std::map<std::tuple<std::string, int, Cache>, const PlannedMeasurement*> planned;
  for (const auto& each : plan.measurements)
    planned[{each.order.subject, each.order.threads, each.order.cache}] = &each;
  for (const auto& reply : replies)
    if (reply.unavailable.empty()) rows.push_back({planned.at({reply.subject, reply.threads, reply.cache}), &reply});
  std::sort(rows.begin(), rows.end(), [](const KernelRow& a, const KernelRow& b) {
    return std::tuple(-a.planned->share, a.reply->subject, a.reply->threads, a.reply->cache) <
           std::tuple(-b.planned->share, b.reply->subject, b.reply->threads, b.reply->cache);
  });
  return rows;
}

std::string rate_text(double per_second) { return per_second == 0 ? "" : fmt::format("{:.3g}", per_second / 1e9); }

}  // namespace

std::string error_text(const FitError& error) {
  return error.count == 0 ? "-" : fmt::format("{:.1f} / {:.1f} %", 100 * error.median, 100 * error.p90);
}

std::string ops_text(const std::vector<KernelOp>& ops) {
  std::string text(name(ops.front()));
  return ops.size() == 1 ? text : fmt::format("{} and {} more", text, ops.size() - 1);
}

Page measure_plan_page(const MeasurePlan& plan, std::optional<Seconds> time_limit) {
  const bool of_steps = std::any_of(plan.measurements.begin(), plan.measurements.end(),
                                    [](const PlannedMeasurement& each) { return each.runs > 0; });
  const auto cost_and_subject = table_of(figure_columns("takes at most"), name_columns("subject")).columns;
  Table table = of_steps ? table_of(figure_columns("threads"), name_columns("caches"),
                                    figure_columns("runs in a step", "share"), cost_and_subject)
                         : table_of(cost_and_subject);
  for (const auto& each : plan.measurements) {
    TableCells& row = table.rows.emplace_back();
    if (of_steps)
      row = {threads_text(each.order.threads), name(each.order.cache), runs_text(each.runs),
             share_or_blank(each.share)};
    row.insert(row.end(), {to_text(cost(each)), each.order.subject});
  }
  const Seconds all = cost(plan);
  const std::string limited =
      time_limit && *time_limit < all ? fmt::format("; the time limit of {} shortens them", to_text(*time_limit)) : "";
  return table_page(std::move(table),
                    fmt::format("{} measurements, at most about {}{}.{}", plan.measurements.size(), to_text(all),
                                limited, of_steps ? " Shares are of a modelled step." : ""));
}

// "kernel conv_forward fp32 ..., by jit:avx2".
std::string subject_text(const MeasureReply& reply) {
  return reply.subject + (reply.implementation ? ", by " + *reply.implementation : "");
}

Table results_table(const MeasurePlan& plan, const std::vector<MeasureReply>& replies) {
  Table table = table_of(figure_columns("threads"), name_columns("caches"),
                         figure_columns("share", "median", "noise", "samples", "GFLOP/s", "GB/s", "error"),
                         name_columns("subject"));
  for (const auto& [planned, reply] : measured_rows(plan, replies)) {
    const SampleStatistics& time = reply->time;
    table.rows.push_back({threads_text(reply->threads), name(reply->cache), share_or_blank(planned->share),
                          to_text(time.median), fmt::format("{:.1f} %", 100 * noise(time)),
                          fmt::format("{}", time.count), rate_text((reply->flop / time.median).value),
                          rate_text((reply->bytes / time.median).value), fmt::format("{:.1g}", reply->largest_error),
                          subject_text(*reply)});
  }
  return table;
}

std::string reference_note(const MeasurePlan& plan, const std::vector<MeasureReply>& replies) {
  int references = 0;
  for (const auto& [planned, reply] : measured_rows(plan, replies))
    references += is_reference(reply->implementation) ? 1 : 0;
  if (references == 0) return {};
  return fmt::format("{} of them in the library's reference implementation (ref), to which no law is fitted.",
                     references);
}

Table laws_table(const std::vector<KernelLaw>& laws) {
  Table table = table_of(name_columns("precision"),
                         figure_columns("threads", "compute", "memory", "per kernel", "fit error", "held back"),
                         name_columns("law of"));
  for (const auto& law : laws)
    table.rows.push_back({name(law.precision), threads_text(law.threads), to_text(law.constants.compute),
                          to_text(law.constants.memory), to_text(law.constants.per_kernel), error_text(law.residual),
                          error_text(law.held_back), ops_text(law.ops)});
  return table;
}

Page calibration_page(const MeasurePlan& plan, const std::vector<MeasureReply>& replies,
                      const std::vector<KernelLaw>& laws) {
  Page page;
  page.add({PageTable{results_table(plan, replies)}});
  if (const std::string note = reference_note(plan, replies); !note.empty()) page.add({PageText{note}});
  if (!laws.empty())
    page.add({PageTable{laws_table(laws)},
              PageText{"Errors: median / 90th percentile; held back: of the largest kernels by a fit to the others."}});
  return page;
}

std::string refused_laws_text(const std::vector<KernelLaw>& laws) {
  std::string text;
  for (const auto& law : laws)
    text += fmt::format("mlsim: no law of {} in {}{}: in the median a fit misses the {} largest by {:.0f} %\n",
                        ops_text(law.ops), name(law.precision),
                        law.threads == 0 ? "" : fmt::format(" on {} threads", law.threads), law.held_back.count,
                        100 * law.held_back.median);
  return text;
}

std::string unavailable_text(const std::vector<MeasureReply>& replies) {
  std::map<std::string, std::pair<int, std::string>> reasons;  // how often, and the first subject
  for (const auto& reply : replies) {
    if (reply.unavailable.empty()) continue;
    auto& [times, subject] = reasons[reply.unavailable];
    if (times++ == 0) subject = reply.subject;
  }
  std::string text;
  for (const auto& [reason, found] : reasons)
    text += fmt::format("mlsim: not measured: {}{}: {}\n", found.second,
                        found.first > 1 ? fmt::format(" and {} more", found.first - 1) : "", reason);
  return text;
}

std::string noise_text(const std::vector<MeasureReply>& replies) {
  constexpr double kQuiet = 0.25;
  const MeasureReply* worst = nullptr;
  int noisy = 0, all = 0;
  for (const auto& reply : replies) {
    if (!reply.unavailable.empty()) continue;
    ++all;
    if (noise(reply.time) <= kQuiet) continue;
    ++noisy;
    if (worst == nullptr || noise(reply.time) > noise(worst->time)) worst = &reply;
  }
  if (worst == nullptr) return {};
  return fmt::format(
      "{} of {} measurements have a noise of more than {:.0f} %, {} of {:.0f} %: something else runs on this machine; "
      "intervals of predictions by them are so much wider",
      noisy, all, 100 * kQuiet, worst->subject, 100 * noise(worst->time));
}

std::string throttled_text(const std::vector<MeasureReply>& replies) {
  const std::string word = "throttled: ";
  std::string why;
  int throttled = 0, all = 0;
  for (const auto& reply : replies) {
    if (!reply.unavailable.empty()) continue;
    ++all;
    const std::string remark = clock_remark(reply);
    if (!remark.starts_with(word)) continue;
    ++throttled;
    why = remark.substr(word.size());
  }
  if (throttled == 0) return {};
  return fmt::format("the GPU held its clock down in {} of {} measurements: {}", throttled, all, why);
}

}  // namespace mlsim::reports
