#include "replay/validation/lab_runs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "core/text/csv.hpp"
#include "core/text/units_text.hpp"
#include "validation_files.hpp"

namespace mlsim::replay {
namespace {

constexpr const char* kLabFile = "replays/lab.csv";

// Joins the comment lines that the table begins with.
std::string comment_of(std::string_view text) {
  std::string comment;
  while (text.starts_with("#")) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    comment += (comment.empty() ? "" : " ") + std::string(text.substr(2, end - 2));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return comment;
}

LabRun lab_run(const CsvRow& row) {
  const auto number = [&](std::size_t i) { return parse_number(row.fields[i]); };
  // The columns are hosts, rate, step, predicted_ms, measured_ms, error_percent, kernel, collective, contention,
  // overlap.
  return {parse_count(row.fields[0], 2),
          row.fields[1],
          row.fields[2],
          milliseconds(number(3)),
          milliseconds(number(4)),
          number(6) / 100,
          number(7) / 100,
          number(8) / 100,
          number(9) / 100};
}

// Places count from 1; equal values share the mean of theirs.
std::vector<double> places(const std::vector<LabRun>& runs, Seconds LabRun::*value) {
  std::vector<double> all;
  for (const LabRun& run : runs) {
    const auto less = std::count_if(runs.begin(), runs.end(), [&](const LabRun& r) { return r.*value < run.*value; });
    const auto same = std::count_if(runs.begin(), runs.end(), [&](const LabRun& r) { return r.*value == run.*value; });
    all.push_back(static_cast<double>(less) + static_cast<double>(same + 1) / 2);
  }
  return all;
}

}  // namespace

const LabRuns& lab_runs() {
  static const LabRuns all = [] {
    const EmbeddedFile& file = file_at(validation::validation_files(), kLabFile);
    LabRuns read{comment_of(file.text), {}};
    for (const CsvRow& row : parse_csv(file.text, kLabFile).rows) read.runs.push_back(lab_run(row));
    return read;
  }();
  return all;
}

double rank_correlation(const std::vector<LabRun>& runs) {
  if (runs.size() < 2) throw std::logic_error("a correlation needs two runs");
  const auto predicted = places(runs, &LabRun::predicted), measured = places(runs, &LabRun::measured);
  const double mean = (static_cast<double>(runs.size()) + 1) / 2;
  double both = 0, first = 0, second = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    both += (predicted[i] - mean) * (measured[i] - mean);
    first += (predicted[i] - mean) * (predicted[i] - mean);
    second += (measured[i] - mean) * (measured[i] - mean);
  }
  return both / std::sqrt(first * second);
}

}  // namespace mlsim::replay
