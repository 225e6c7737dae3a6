#include "reports/validation/validation_json.hpp"

#include <nlohmann/json.hpp>

namespace mlsim::reports {
namespace {

using Json = nlohmann::ordered_json;

Json case_json(const CaseResult& r) {
  Json out{{"id", r.what.id},       {"group", r.what.source},    {"metric", name(r.what.metric)},
           {"value", r.what.value}, {"predicted", nullptr},      {"relative_error", nullptr},
           {"interval", nullptr},   {"role", name(r.what.role)}, {"distance", r.distance.text}};
  if (r.predicted) {
    out["predicted"] = *r.predicted;
    out["relative_error"] = r.relative_error();
  }
  if (r.interval) out["interval"] = {(*r.interval)[0], (*r.interval)[1]};
  for (std::size_t b = 0; b < kBaselines; ++b)
    if (r.baselines[b]) out[name(static_cast<Baseline>(b))] = *r.baselines[b];
  if (r.trust)
    out["trust"] = {{"level", name(r.trust->level)},
                    {"footing", name(r.trust->footing)},
                    {"log_difficulty", r.trust->log_difficulty}};
  if (!r.refusal.empty()) out["refused"] = r.refusal;
  return out;
}

Json group_json(const GroupScore& g, const ErrorBounds& bounds) {
  Json out{{"name", g.source},
           {"metric", name(g.metric)},
           {"count", g.error.count},
           {"median_abs_error", g.error.median},
           {"p90_abs_error", g.error.p90},
           {"max_abs_error", g.error.max},
           {"bias", g.error.bias},
           {"coverage", nullptr},
           {"refused", g.refused},
           {"misses", misses(g, bounds)}};
  if (g.intervals > 0) out["coverage"] = g.coverage;
  if (g.error.count == 0)
    for (const char* of_rows : {"median_abs_error", "p90_abs_error", "max_abs_error", "bias"}) out[of_rows] = nullptr;
  for (std::size_t b = 0; b < kBaselines; ++b) {
    const ErrorSummary& error = g.baselines[b];
    if (error.count > 0)
      out[name(static_cast<Baseline>(b))] = {{"count", error.count},
                                             {"median_abs_error", error.median},
                                             {"p90_abs_error", error.p90},
                                             {"max_abs_error", error.max},
                                             {"bias", error.bias}};
  }
  if (g.skill) out["skill"] = *g.skill;
  return out;
}

}  // namespace

std::string validation_json(const ValidationReport& report) {
  Json out{{"ask", name(report.asking.telling)},
           {"hide", name(report.asking.hidden)},
           {"anchors", name(report.asking.anchors)},
           {"cases", Json::array()},
           {"groups", Json::array()}};
  for (const CaseResult& r : report.cases) out["cases"].push_back(case_json(r));
  for (const GroupScore& g : report.groups) out["groups"].push_back(group_json(g, report.bounds));
  out["passed"] = exit_status(report) == 0;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace mlsim::reports
