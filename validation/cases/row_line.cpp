#include "validation/cases/row_line.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>

#include "core/text/split.hpp"
#include "validation_files.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::validation {
namespace {

constexpr std::string_view kNoCases = "sources";  // the other tables without a folder are of cases

// Takes a line off the front of a text.
std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

// Takes a field off the front of a line, without its quotes.
std::string_view take_field(std::string_view& line) {
  std::size_t end = std::min(line.find(','), line.size());
  const bool quoted = line.starts_with('"');
  if (quoted) {
    end = 1;
    while (line[end] != '"' || line.substr(end + 1).starts_with('"')) end += line[end] == '"' ? 2 : 1;
  }
  const std::string_view field = line.substr(quoted, end - quoted);
  line.remove_prefix(std::min(end + quoted + 1, line.size()));
  return field;
}

// std::string_view::rfind() goes back byte by byte, which a citation makes long.
std::size_t last_comma(std::string_view line) {
  const void* const found = ::memrchr(line.data(), ',', line.size());
  return found ? static_cast<const char*>(found) - line.data() : line.npos;
}

struct Columns {
  std::vector<std::string> names;
  std::size_t topology, workload, role;

  explicit Columns(std::string_view header) : names(split(std::string(header), ',')) {
    const auto place = [&](const char* name) {
      return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    };
    topology = place("topology");
    workload = place("workload");
    role = place("role");
  }
};

// A line is walked no further than it has to be: most tables have the role before a citation without quotes.
bool is_anchor(std::string_view line, const Columns& columns) {
  if (columns.role + 2 == columns.names.size() && !line.ends_with('"'))
    return line.substr(0, last_comma(line)).ends_with(",anchor");
  for (std::size_t column = 0; column < columns.role; ++column) take_field(line);
  return take_field(line) == "anchor";
}

RowLine row_of(int number, std::string_view line, const Columns& columns) {
  RowLine row{number, line, {}, {}, {}, is_anchor(line, columns)};
  for (std::size_t column = 0; column <= std::max(columns.topology, columns.workload); ++column) {
    const std::string_view field = take_field(line);
    if (column == columns.topology) row.topology = field;
    if (column == columns.workload) row.workload = field;
  }
  row.network = network_name(row.workload);
  return row;
}

LinedTable lined_table(const EmbeddedFile& file) {
  LinedTable table{std::string(file.path), {}, {}};
  std::optional<Columns> columns;  // once the header has come
  std::string_view text = file.text;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    if (columns && !line.empty()) table.rows.push_back(row_of(number, line, *columns));
    if (columns || line.starts_with('#')) continue;
    table.header = line;
    columns.emplace(line);
  }
  return table;
}

}  // namespace

const std::vector<LinedTable>& lined_tables() {
  static const std::vector<LinedTable> all = [] {
    std::vector<LinedTable> tables;
    for (const EmbeddedFile& file : validation_files())
      if (file.path.ends_with(".csv") && file.path.find('/') == std::string_view::npos &&
          !file.path.starts_with(kNoCases))
        tables.push_back(lined_table(file));
    return tables;
  }();
  return all;
}

CsvTable read_rows(const LinedTable& table, const std::function<bool(const RowLine&)>& keep) {
  std::string text(table.header);
  std::vector<int> numbers;
  for (const RowLine& row : table.rows) {
    if (!keep(row)) continue;
    text.append("\n").append(row.line);
    numbers.push_back(row.number);
  }
  CsvTable read = parse_csv(text, table.file);
  for (std::size_t i = 0; i < numbers.size(); ++i) read.rows[i].line = numbers[i];
  return read;
}

}  // namespace mlsim::validation
