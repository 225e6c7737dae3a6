#include "workloads/convergence/evaluation_pause.hpp"

#include <algorithm>
#include <cmath>

#include "core/text/errors.hpp"

namespace mlsim::workloads {
namespace {

// Pauses of MLPerf's translation benchmarks were fitted against the devices of one server over all devices.
constexpr double kBeamSearchDevices = 8;

}  // namespace

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
