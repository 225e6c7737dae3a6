// A `Case` is a published run: what was run, what came out, and who says so.
//
// A table is a CSV file with the columns of case_columns(), in any order; `publisher` may be left out. `options` holds
// what --set takes, joined by ';' ("stack=mlperf-v0.6;data=real"), and three keys of its own: parallelism (what
// --parallelism takes), relative_to (the id of the case that a speedup or another ratio is relative to) and payload
// ("64 MB" a rank, as nccl-tests counts it), which makes the case one collective by itself; `workload` then names the
// kind ("all-reduce").
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/kernel/precision.hpp"
#include "core/shared_list.hpp"
#include "core/text/words.hpp"
#include "sim/evidence/evidence.hpp"
#include "validation/cases/metric.hpp"
#include "validation/namespace.hpp"

namespace mlsim::validation {

/// An anchor sets the speed of its family (same machine, precision, software, data). An input is a figure from which a
/// constant of the model was derived, or the reference of ratios; it is predicted and shown. Only checks are scored.
enum class Role { anchor, check, input };
inline Words<Role> words(Role) { return {"role", {"anchor", "check", "input"}}; }

struct Case {
  std::string id;
  std::string publisher;  // whose tables state it, "dle"; `source` where the table has no such column
  std::string source;     // the group it is scored in: "MLPerf TPU"
  std::string topology;
  int accelerators = 1;
  std::string workload;
  std::optional<Precision> precision;  // empty: the accelerator's own choice
  std::optional<double> global_batch;  // samples
  Options options;
  std::string parallelism;
  std::string relative_to;       // id of another case, or its own where it is the reference of others; may be empty
  std::optional<Bytes> payload;  // payload of a rank, where the case is one collective by itself
  Metric metric = Metric::throughput;
  double value = 0;                 // SI units of the metric
  double relative_uncertainty = 0;  // uncertainty of the published value, 0: not stated
  Role role = Role::check;
  std::string citation;
  std::string place;  // "file:line"

  /// Says whether the row is of the tables of language models' steps, which a script writes
  /// (validation/language_models/).
  bool of_language_models() const { return place.starts_with("llm_"); }
};

const std::vector<std::string>& case_columns();

/// Reads a table from text or from disk. Throws InputError with file, line, column and the nearest right word.
std::vector<Case> parse_cases(std::string_view text, const std::string& file);
std::vector<Case> load_cases(const std::string& path);

/// Reads the tables that come with mlsim, validation/published/*.csv, in order of their file names.
const std::vector<Case>& published_cases();

/// Reads those of one network, whatever its version, that are `wanted`, and no other rows.
using WantedNames = std::function<bool(const std::string& workload, const std::string& topology)>;
std::vector<Case> published_cases_of(const std::string& network, const WantedNames& wanted);

/// Reads the anchors of published_cases(), and no other cases.
const Evidence& published_anchors();

/// Picks the anchors among `cases`, in their order; each names its case's source and citation.
std::vector<ParsedAnchor> anchors_from(const std::vector<Case>& cases);

}  // namespace mlsim::validation
