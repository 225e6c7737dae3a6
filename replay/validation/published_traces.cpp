#include "replay/validation/published_traces.hpp"

#include <algorithm>
#include <cmath>

#include "core/text/errors.hpp"
#include "core/text/table_row.hpp"
#include "core/text/units_text.hpp"
#include "replay/validation/recorded_steps.hpp"
#include "validation_files.hpp"

namespace mlsim::replay {
namespace {

constexpr const char* kTraces = "traces/";
constexpr double kReplayBound = 0.03, kPipelineBound = 0.02;

const EmbeddedFile& trace_file(const std::string& name) {
  return file_at(validation::validation_files(), kTraces + name);
}

PublishedTrace trace_of(const TableRow& row) {
  PublishedTrace trace;
  trace.id = row.text("file");
  trace.what = row.text("what");
  trace.topology = row.text("topology");
  trace.citation = row.text("citation");
  trace.missed = parse_count(row.text("missed"), 0);
  if (!row.text("workload").empty()) {
    trace.model.emplace();
    trace.model->workload = row.text("workload");
    trace.model->precision = parse<Precision>(row.text("precision"));
    trace.model->batch = parse_number(row.text("batch"));
  }
  return trace;
}

}  // namespace

const std::vector<PublishedTrace>& published_traces() {
  static const std::vector<PublishedTrace> all = [] {
    std::vector<PublishedTrace> traces;
    const EmbeddedFile& file = trace_file("index.csv");
    const CsvTable table = parse_csv(file.text, std::string(file.path));
    for (const CsvRow& row : table.rows) traces.push_back(trace_of(TableRow(table, row)));
    return traces;
  }();
  return all;
}

bool PublishedTraceResult::missed() const {
  if (std::abs(validation.own_error()) > kReplayBound) return true;
  if (trace.topology.empty()) return false;
  return std::abs(validation.simulated_error()) > validation.bound ||
         validation.collectives_missed() > static_cast<std::size_t>(trace.missed);
}

PublishedTraceResults validate_published_traces(const SharedList<Profile>& profiles) {
  PublishedTraceResults results;
  for (const PublishedTrace& trace : published_traces()) {
    const EmbeddedFile& file = trace_file(trace.id + ".csv");
    TraceQuestion question;
    question.topology = trace.topology;
    question.profiles = profiles;
    question.model = trace.model;
    results.traces.push_back(
        {trace, validate_trace(parse_recorded_steps(file.text, std::string(file.path)), question)});
  }
  for (const PublishedPipeline& pipeline : published_pipelines()) {
    const auto steps = replayed_steps(pipeline.record, pipeline.name);
    results.pipelines.insert(results.pipelines.end(), steps.begin(), steps.end());
  }
  return results;
}

int exit_status(const PublishedTraceResults& results) {
  const bool missed =
      std::any_of(results.traces.begin(), results.traces.end(), [](const auto& result) { return result.missed(); }) ||
      std::any_of(results.pipelines.begin(), results.pipelines.end(),
                  [](const auto& step) { return std::abs(step.error()) > kPipelineBound; });
  return missed ? 1 : 0;
}

}  // namespace mlsim::replay
