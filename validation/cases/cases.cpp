#include "validation/cases/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/text/csv.hpp"
#include "core/text/errors.hpp"
#include "core/text/split.hpp"
#include "core/text/table_row.hpp"
#include "core/text/units_text.hpp"
#include "sim/options/options_text.hpp"
#include "validation/cases/row_line.hpp"
#include "validation/cases/speed_table.hpp"
#include "validation_files.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::validation {
namespace {

constexpr std::string_view kPublisher = "publisher";  // the one column that a table may leave out
constexpr const char* kAnchorSpeeds = "derived/anchor_speeds.csv";

double positive(const std::string& text) {
  const double value = parse_number(text);
  if (!(value > 0)) throw InputError(fmt::format("must be above 0, not {}", text));
  return value;
}

double fraction(const std::string& text) {
  const double value = parse_number(text);
  if (!(value >= 0 && value < 1)) throw InputError(fmt::format("must be from 0 to below 1, not {}", text));
  return value;
}

// Takes "key=value" into `value` where the item is of this key; says whether it is.
bool taken(const std::string& item, std::string_view key, std::string& value) {
  if (!item.starts_with(key) || item.size() == key.size() || item[key.size()] != '=') return false;
  if (item.size() == key.size() + 1) throw InputError(fmt::format("\"{}=\" needs a value", key));
  if (!value.empty()) throw InputError(fmt::format("\"{}\" is given twice", key));
  value = item.substr(key.size() + 1);
  return true;
}

// `RowOptions` are what the column `options` says; the rows of a table have few kinds of them.
struct RowOptions {
  Options options;
  std::string parallelism, relative_to;
  std::optional<Bytes> payload;
};
using KnownOptions = std::map<std::string, RowOptions>;  // by text

RowOptions row_options(const std::string& items) {
  RowOptions out;
  std::string payload, options;  // the rest is what --set takes
  for (const std::string& item : split(items, ';')) {
    if (taken(item, "relative_to", out.relative_to) || taken(item, "parallelism", out.parallelism) ||
        taken(item, "payload", payload))
      continue;
    options += (options.empty() ? "" : ";") + item;
  }
  if (!payload.empty()) out.payload = parse_quantity<Bytes>(payload);
  out.options = parse_options(options);
  return out;
}

void read_options(const TableRow& row, KnownOptions& known, Case& out) {
  const std::string& text = row.text("options");
  if (text.empty()) return;
  auto found = known.find(text);
  if (found == known.end()) found = known.emplace(text, row.read("options", row_options)).first;
  const RowOptions& options = found->second;
  out.options = options.options;
  out.parallelism = options.parallelism;
  out.relative_to = options.relative_to;
  out.payload = options.payload;
}

void check_relation(const TableRow& row, const Case& c) {
  if (!ratio_of(c.metric) && !c.relative_to.empty())
    throw row.error("options", fmt::format("\"relative_to\" has no meaning for {}", name(c.metric)));
  if (needs_reference(c.metric) && c.relative_to.empty())
    throw row.error("options", fmt::format("{} {} needs relative_to=ID, the case that it is relative to",
                                           name(c.metric).front() == 'a' ? "an" : "a", name(c.metric)));
  if (c.relative_to == c.id && (c.role != Role::input || c.value != 1))
    throw row.error("options", "a case that is relative to itself is a reference: its role is input and its value 1");
}

void check_collective(const TableRow& row, const Case& c) {
  const LoneCollective use = lone_collective(c.metric);
  if (!c.payload) {
    if (use == LoneCollective::only)
      throw row.error("options", fmt::format("{} needs payload=SIZE, of one rank", name(c.metric)));
    return;
  }
  if (use == LoneCollective::never)
    throw row.error("options", fmt::format("\"payload\" has no meaning for {}", name(c.metric)));
  if (c.payload->value < 1) throw row.error("options", "a payload is at least 1 B");
  const auto kind = row.read("workload", parse<CollectiveKind>);
  if (const auto timed = collective_of(c.metric); timed && *timed != kind)
    throw row.error("workload", fmt::format("is {}, but {} is of {}", name(kind), name(c.metric), name(*timed)));
  if (c.global_batch) throw row.error("global_batch", "has no meaning for a collective by itself");
  if (!c.parallelism.empty()) throw row.error("options", "\"parallelism\" has no meaning for a collective by itself");
}

void check_anchor(const TableRow& row, const Case& c) {
  if (c.role != Role::anchor) return;
  if (c.metric != Metric::throughput && c.metric != Metric::step_time)
    throw row.error("role", fmt::format("an anchor states throughput or step_time, not {}; a figure that a constant "
                                        "was derived from is an input",
                                        name(c.metric)));
  if (!c.precision) throw row.error("precision", "is empty, which an anchor cannot leave open");
  if (!c.global_batch) throw row.error("global_batch", "is empty, which an anchor cannot leave open");
}

Case read_case(const TableRow& row, KnownOptions& known) {
  Case c;
  c.place = row.place();
  c.id = row.needed("id");
  c.source = row.needed("source");
  c.publisher = row.has("publisher") ? row.needed("publisher") : c.source;
  c.topology = row.needed("topology");
  c.accelerators = row.read("accelerators", [](const std::string& t) { return parse_count(t); });
  c.workload = row.needed("workload");
  if (!row.text("precision").empty()) c.precision = row.read("precision", parse<Precision>);
  if (!row.text("global_batch").empty()) c.global_batch = row.read("global_batch", positive);
  read_options(row, known, c);
  c.metric = row.read("metric", parse<Metric>);
  const double factor = row.read("unit", [&](const std::string& t) { return unit_factor(c.metric, t); });
  c.value = factor * row.read("value", positive);
  if (!row.text("relative_uncertainty").empty()) c.relative_uncertainty = row.read("relative_uncertainty", fraction);
  c.role = row.read("role", parse<Role>);
  c.citation = row.needed("citation");
  check_relation(row, c);
  check_collective(row, c);
  check_anchor(row, c);
  return c;
}

std::vector<std::string> needed_columns() {
  std::vector<std::string> needed = case_columns();
  std::erase(needed, kPublisher);
  return needed;
}

std::vector<Case> cases_of(const CsvTable& table) {
  check_columns(table, needed_columns(), {std::string(kPublisher)});
  std::vector<Case> cases;
  cases.reserve(table.rows.size());
  std::map<std::string, std::string> seen;  // id -> place
  KnownOptions known;
  for (const CsvRow& fields : table.rows) {
    const TableRow row(table, fields);
    Case c = read_case(row, known);
    const auto [first, fresh] = seen.emplace(c.id, c.place);
    if (!fresh) throw row.error("id", fmt::format("\"{}\" stands twice, first at {}", c.id, first->second));
    cases.push_back(std::move(c));
  }
  if (table.rows.empty()) throw InputError(table.file, "holds a header but no cases");
  return cases;
}

// Reads the rows of the embedded tables that `keep` says.
std::vector<Case> published_rows(const std::function<bool(const RowLine&)>& keep) {
  std::vector<Case> cases;
  for (const LinedTable& lined : lined_tables()) {
    const CsvTable table = read_rows(lined, keep);
    if (table.rows.empty()) continue;
    auto more = cases_of(table);
    std::move(more.begin(), more.end(), std::back_inserter(cases));
  }
  return cases;
}

// Speeds by id are what `mlsim validate anchors` wrote of the tables that come with mlsim, which a test holds it to.
const std::unordered_map<std::string_view, std::string_view>& stored_speeds() {
  static const auto stored = [] {
    std::unordered_map<std::string_view, std::string_view> speeds;
    std::string_view table = file_at(validation_files(), kAnchorSpeeds).text;
    while (!table.empty()) {
      const std::string_view line = table.substr(0, table.find('\n'));
      table.remove_prefix(std::min(line.size() + 1, table.size()));
      const std::size_t comma = line.find(',');
      speeds.emplace(line.substr(0, comma), line.substr(comma + 1));
    }
    return speeds;
  }();
  return stored;
}

}  // namespace

const std::vector<std::string>& case_columns() {
  static const std::vector<std::string> columns{
      "id",      "publisher", "source", "topology", "accelerators",         "workload", "precision", "global_batch",
      "options", "metric",    "value",  "unit",     "relative_uncertainty", "role",     "citation"};
  return columns;
}

std::vector<Case> parse_cases(std::string_view text, const std::string& file) {
  return cases_of(parse_csv(text, file));
}

std::vector<Case> load_cases(const std::string& path) { return cases_of(load_csv(path)); }

const std::vector<Case>& published_cases() {
  static const std::vector<Case> all = published_rows([](const RowLine&) { return true; });
  return all;
}

std::vector<Case> published_cases_of(const std::string& network, const WantedNames& wanted) {
  return published_rows([&](const RowLine& row) {
    return row.network == network && wanted(std::string(row.workload), std::string(row.topology));
  });
}

const Evidence& published_anchors() {
  static const Evidence all = [] {
    std::vector<std::string> networks;
    for (const LinedTable& table : lined_tables())
      for (const RowLine& row : table.rows)
        if (row.is_anchor) networks.emplace_back(row.network);
    const auto read = [](const std::string& network) {
      return anchors_from(published_rows(
          [&](const RowLine& row) { return row.is_anchor && (network.empty() || row.network == network); }));
    };
    return Evidence(networks, read, stored_speed_effects);
  }();
  return all;
}

std::vector<ParsedAnchor> anchors_from(const std::vector<Case>& cases) {
  const auto& speeds = stored_speeds();
  std::vector<ParsedAnchor> anchors;
  for (const Case& c : cases) {
    if (c.role != Role::anchor) continue;
    ParsedAnchor anchor;
    anchor.id = c.id;
    anchor.topology = c.topology;
    anchor.accelerators = c.accelerators;
    anchor.workload = c.workload;
    anchor.precision = *c.precision;
    anchor.global_batch = *c.global_batch;
    anchor.options = c.options;
    anchor.parallelism = c.parallelism;
    anchor.throughput = PerSecond(c.metric == Metric::step_time ? *c.global_batch / c.value : c.value);
    anchor.source = {Provenance::published, c.source + ": " + c.citation, {}};
    if (const auto speed = speeds.find(c.id); speed != speeds.end()) anchor.kernel_speed = parse_number(speed->second);
    anchors.push_back(std::move(anchor));
  }
  return anchors;
}

}  // namespace mlsim::validation
