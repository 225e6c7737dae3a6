#include "validation/scores/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "core/profile/collective_name.hpp"
#include "core/text/errors.hpp"
#include "validation/cases/figure.hpp"

namespace mlsim::validation {
namespace {

/// A `Pool` has the table's cases, and the cases that they are relative to, wherever those stand.
class Pool {
 public:
  explicit Pool(const std::vector<Case>& cases) {
    std::map<std::string, const Case*> given;
    for (const Case& c : cases) given.emplace(c.id, &c);
    const std::vector<Case>& published = published_cases();
    std::set<std::string> built_in;
    for (const Case& c : published) built_in.insert(c.id);
    for (const Case& c : cases)
      if (!built_in.contains(c.id)) add(c);
    for (const Case& c : published) {
      const auto found = given.find(c.id);
      add(found == given.end() ? c : *found->second);
    }
    for (const Case& c : cases)
      if (!c.relative_to.empty()) base_of(c);
  }

  /// The built-in cases stand in their tables' order, whichever of them are given, as of equally near runs the first
  /// is leant on; what else is given stands before them.
  const std::vector<Case>& all() const { return all_; }

  /// Finds the case that `c` is relative to, or null. Throws InputError where there is none of that id.
  const Case* base_of(const Case& c) const {
    if (c.relative_to.empty()) return nullptr;
    const auto found = by_id_.find(c.relative_to);
    if (found != by_id_.end()) return &all_[found->second];
    std::vector<std::string> ids;
    for (const Case& other : all_) ids.push_back(other.id);
    const std::string near = nearest_word(c.relative_to, ids);
    throw InputError(c.place, fmt::format("relative_to names no case: \"{}\"{}", c.relative_to,
                                          near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
  }

 private:
  void add(const Case& c) {
    if (by_id_.emplace(c.id, all_.size()).second) all_.push_back(c);
  }

  std::vector<Case> all_;
  std::map<std::string, std::size_t> by_id_;
};

using AnswersById = std::map<std::string, Answer>;

// Every case and every base is asked once, in the order of the cases; evidence is put together where it is leant on.
AnswersById ask(const std::vector<const Case*>& cases, const Pool& pool, EvidenceShelf& shelf,
                const ValidationOptions& options) {
  std::map<std::string, std::size_t> number;  // number of each case's question
  std::vector<const Case*> asked;
  const auto add = [&](const Case& c) {
    if (number.emplace(c.id, asked.size()).second) asked.push_back(&c);
  };
  for (const Case* c : cases) {
    add(*c);
    if (const Case* base = pool.base_of(*c)) add(*base);
  }
  const Predictor predictor = [&](const PredictRequest& request) {  // that of the options is for steps
    return options.predictor && !names_collective(request.workload) ? options.predictor(request) : predict(request);
  };
  const auto question = [&](std::size_t i) {
    PredictRequest request = request_of(*asked[i], shelf.of(*asked[i]), options);
    request.one_of_many = true;
    return request;
  };
  AnswerOptions answering = options.answering;
  answering.name = [&](std::size_t i) { return asked[i]->id; };
  auto found = answers(asked.size(), question, predictor, answering);
  AnswersById out;
  for (const auto& [id, i] : number) out.emplace(id, std::move(found[i]));
  return out;
}

// Orders those that the question is asked of: cases that lean on the same evidence stand beside each other.
std::vector<const Case*> by_evidence(const std::vector<Case>& cases, const Asking& asking, const EvidenceShelf& shelf) {
  std::vector<std::pair<std::string, const Case*>> keyed;
  NodeCounts nodes;
  std::vector<const Case*> asked;
  for (const Case& c : cases)
    if (asked_of(asking, c, nodes)) asked.push_back(&c);
  if (asking.telling == Telling::bare) asked = quickest_of_each(asked);
  for (const Case* c : asked) keyed.emplace_back(shelf.key_of(*c), c);
  std::stable_sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const Case*> ordered;
  for (const auto& [key, c] : keyed) ordered.push_back(c);
  return ordered;
}

const Prediction& prediction_of(const Case& c, const AnswersById& answers) {
  const Answer& answer = answers.at(c.id);
  if (!answer.prediction) throw Infeasible(answer.refusal);
  return *answer.prediction;
}

Figure figure_of(const Case& c, const Case* base, const AnswersById& answers) {
  if (base == nullptr) return figure_of(c.metric, prediction_of(c, answers));
  const Metric own = *ratio_of(c.metric);
  const auto figure = [&](const Case& each) { return figure_of(own, prediction_of(each, answers)); };
  return relative_figure(c, figure(c), *base, figure(*base));
}

CaseResult result_of(const Case& c, const Pool& pool, const AnswersById& answers, const CaseEvidence& evidence,
                     Baselines& baselines) {
  CaseResult result;
  result.what = c;
  const Case* base = pool.base_of(c);
  result.baselines = baselines.of(c, base, evidence.cases, evidence.profiles);
  try {
    const Figure figure = figure_of(c, base, answers);
    if (!(figure.value > 0) || !std::isfinite(figure.value))
      throw Infeasible(fmt::format("the prediction is {}, which is no {}", figure.value, name(c.metric)));
    result.predicted = figure.value;
    result.interval = figure.interval;
    if (!c.payload) result.distance = prediction_of(c, answers).distance;
    if (!c.payload) result.trust = prediction_of(c, answers).trust;
  } catch (const MachineFailed& e) {
    throw MachineFailed(fmt::format("{}: {}", c.id, e.what()));
  } catch (const ProcessCrashed& e) {
    throw MachineFailed(fmt::format("{}: {}", c.id, e.what()));
  } catch (const Unavailable&) {
    throw;
  } catch (const std::runtime_error& e) {
    result.refusal = e.what();
  }
  return result;
}

}  // namespace

PredictRequest request_of(const Case& c, const CaseEvidence& evidence, const ValidationOptions& options) {
  PredictRequest request;
  request.topology = c.topology;
  request.workload = c.payload ? to_text(CollectiveName{parse<CollectiveKind>(c.workload), *c.payload}) : c.workload;
  request.accelerators = c.accelerators;
  request.global_batch = c.global_batch;
  request.parallelism = c.parallelism;
  request.precision = c.precision;
  request.fidelity = options.fidelity;
  request.options = c.options;
  request.builtin_profiles = evidence.profiles;
  request.anchors = evidence.anchors;
  request.anchor_source = c.source;
  request.seed = options.seed;
  return told(std::move(request), options.asking.telling);
}

ValidationReport validate_published(const std::vector<Case>& stated, const ValidationOptions& options,
                                    const ErrorBounds& bounds) {
  std::vector<Case> cases = stated;
  if (options.asking.telling == Telling::bare) std::transform(stated.begin(), stated.end(), cases.begin(), as_rate);
  const Pool pool(cases);
  EvidenceShelf shelf(options.asking, pool.all(), options.profiles);
  const std::vector<const Case*> asked = by_evidence(cases, options.asking, shelf);
  const AnswersById answers = ask(asked, pool, shelf, options);
  std::map<std::ptrdiff_t, CaseResult> results;  // by place in the table
  Baselines baselines;
  for (const Case* c : asked) results.emplace(c - cases.data(), result_of(*c, pool, answers, shelf.of(*c), baselines));
  ValidationReport report;
  report.asking = options.asking;
  for (auto& [place, result] : results) report.cases.push_back(std::move(result));
  report.groups = group_scores(report.cases);
  if (options.asking == Asking{}) report.bounds = bounds;
  return report;
}

int exit_status(const ValidationReport& report) {
  return std::all_of(report.groups.begin(), report.groups.end(),
                     [&](const GroupScore& g) { return misses(g, report.bounds).empty(); })
             ? 0
             : 1;
}

}  // namespace mlsim::validation
