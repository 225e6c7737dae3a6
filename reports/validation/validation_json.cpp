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
  if (r.linear) out["linear"] = *r.linear;
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
  if (g.linear.count > 0)
    out["linear"] = {{"count", g.linear.count},
                     {"median_abs_error", g.linear.median},
                     {"p90_abs_error", g.linear.p90},
                     {"max_abs_error", g.linear.max},
                     {"bias", g.linear.bias}};
  return out;
}

}  // namespace

std::string validation_json(const ValidationReport& report) {
  Json out{{"cases", Json::array()}, {"groups", Json::array()}};
  for (const CaseResult& r : report.cases) out["cases"].push_back(case_json(r));
  for (const GroupScore& g : report.groups) out["groups"].push_back(group_json(g, report.bounds));
  out["passed"] = exit_status(report) == 0;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace mlsim::reports
