#include "workloads/convergence/convergence_table.hpp"

#include <algorithm>
#include <cmath>

#include "core/text/errors.hpp"

namespace mlsim::workloads {
namespace {

BatchEvaluationRule read_rule(const Document& at) {
  at.allow_only({"per_batch", "constant", "share", "multiple"});
  BatchEvaluationRule rule;
  rule.per_batch = at.at("per_batch").number();
  rule.constant = at.at("constant").number();
  rule.share = at.at("share").number();
  rule.multiple = at.at("multiple").number();
  if (!(rule.per_batch >= 0 && rule.constant >= 0 && rule.share > 0 && rule.multiple > 0))
    throw at.error("per_batch and constant must not be negative, share and multiple above 0");
  if (rule.samples(1) < rule.multiple) throw at.error("at a batch of 1 this never evaluates");
  return rule;
}

// Pauses of MLPerf's translation benchmarks were fitted against the devices of one server over all devices.
constexpr double kBeamSearchDevices = 8;

}  // namespace

double BatchEvaluationRule::samples(double batch) const {
  return std::floor(share * (per_batch * batch + constant) / multiple) * multiple;
}

double EvaluationGrid::interval(double batch, double samples_per_epoch) const {
  return by_batch ? by_batch->samples(batch) / samples_per_epoch : every;
}

double EvaluationGrid::count(double epochs, double batch, double samples_per_epoch) const {
  const double step = interval(batch, samples_per_epoch);
  if (step == 0) return before;
  return std::max(1.0, std::round(before + (epochs - first) / step));
}

double EvaluationGrid::nearest(double epochs, double expected, double batch, double samples_per_epoch) const {
  const double step = interval(batch, samples_per_epoch);
  if (step == 0) return epochs;
  const double anchor = offset_chosen ? expected : first;
  double steps = std::round((epochs - anchor) / step);
  if (anchor + steps * step <= 0) steps = std::floor(-anchor / step) + 1;
  return anchor + steps * step;
}

EvaluationGrid read_evaluation_grid(const Document& at) {
  at.allow_only({"count", "before", "first_epoch", "every_epochs", "every_samples", "offset"});
  EvaluationGrid grid;
  if (at.has("count")) {
    at.allow_only({"count"});
    grid.before = at.at("count").count();
    return grid;
  }
  if (at.has("before")) grid.before = at.at("before").count(0);
  if (at.has("first_epoch")) grid.first = at.at("first_epoch").number();
  if (at.has("every_samples")) {
    if (at.has("every_epochs")) throw at.error("every_epochs and every_samples exclude each other");
    grid.by_batch = read_rule(at.at("every_samples"));
  } else {
    grid.every = at.at("every_epochs").number();
    if (!(grid.every > 0)) throw at.at("every_epochs").error("must be above 0");
  }
  if (grid.first < 0) throw at.at("first_epoch").error("must not be negative");
  if (at.has("offset")) {
    at.at("offset").word("offset of evaluations", {"chosen"});
    grid.offset_chosen = true;
  }
  return grid;
}

bool EvaluationPause::belongs_to(const std::string& era, const std::string& accelerator_family) const {
  return (family == accelerator_family || family == "any") && std::find(eras.begin(), eras.end(), era) != eras.end();
}

Seconds evaluation_pause(const EvaluationPause& pause, PerSecond throughput, double validation_samples,
                         int accelerators) {
  if (!(throughput.value > 0)) throw InputError("an evaluation needs a throughput above 0");
  if (accelerators < 1) throw InputError("an evaluation needs at least one accelerator");
  const double x = pause.load == EvaluationPause::Load::beam_search ? kBeamSearchDevices / accelerators
                                                                    : (validation_samples / throughput).value;
  return pause.fixed + Seconds(pause.passes * std::pow(x, pause.exponent));
}

Statement pause_statement(const EvaluationPause& pause) {
  const char* const x =
      pause.load == EvaluationPause::Load::beam_search ? "8/accelerators" : "validation samples/throughput";
  Statement said(named("fixed", pause.fixed), " + ", named_exact("passes", pause.passes), " x ");
  if (pause.exponent == 1)
    said.add(x);
  else
    said.add("(", x, ")^", named_exact("exponent", pause.exponent));
  return said;
}

EvaluationPause read_evaluation_pause(const Document& at) {
  at.allow_only({"family", "eras", "fixed", "passes", "exponent", "load", "provenance", "source"});
  EvaluationPause pause;
  pause.family = at.at("family").word("accelerator family", {"gpu", "tpu", "other", "any"});
  for (const Document& era : at.at("eras").items()) pause.eras.push_back(era.text());
  if (pause.eras.empty()) throw at.at("eras").error("needs at least one era");
  pause.fixed = at.at("fixed").quantity<Seconds>();
  if (pause.fixed < Seconds(0)) throw at.at("fixed").error("must not be negative");
  pause.passes = at.at("passes").not_negative_number();
  if (at.has("exponent")) pause.exponent = at.at("exponent").not_negative_number();
  if (at.has("load") && at.at("load").word("load", {"validation_set", "beam_search"}) == "beam_search")
    pause.load = EvaluationPause::Load::beam_search;
  pause.source.provenance = at.at("provenance").word<Provenance>();
  pause.source.source = at.at("source").text();
  return pause;
}

}  // namespace mlsim::workloads
