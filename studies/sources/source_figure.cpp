#include "studies/sources/source_score.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/split.hpp"
#include "core/text/table_row.hpp"
#include "validation/cases/cases.hpp"
#include "validation_files.hpp"

namespace mlsim::studies {
namespace {

constexpr std::string_view kBetweenAsks = " // ";

const std::vector<std::string> kColumns{"item", "document",  "says", "way",  "figure",
                                        "asks", "published", "kind", "role", "citation"};
const std::vector<std::string> kMoreColumns{"sets"};

std::vector<std::string> asks_of(const TableRow& row) {
  std::string_view rest = row.needed("asks");
  std::vector<std::string> asks;
  for (std::size_t end = 0; end != rest.npos; rest.remove_prefix(std::min(rest.size(), end + kBetweenAsks.size()))) {
    end = rest.find(kBetweenAsks);
    asks.emplace_back(rest.substr(0, end));
    if (end == rest.npos) break;
  }
  if (asks.size() > kMostAsks) throw row.error("asks", fmt::format("are at most {}, not {}", kMostAsks, asks.size()));
  return asks;
}

SourceFigure read_figure(const TableRow& row) {
  SourceFigure figure;
  figure.item = row.needed("item");
  figure.document = row.needed("document");
  figure.says = row.needed("says");
  figure.way = row.word<AskedWay>("way");
  figure.figure = row.needed("figure");
  figure.asks = asks_of(row);
  figure.kind = row.word<SourceKind>("kind");
  figure.anchor = row.word<Role>("role") == Role::anchor;
  figure.citation = row.needed("citation");
  if (row.has("sets") && row.given("sets")) figure.sets = split(row.needed("sets"), ';');
  figure.place = row.place();
  if (figure.kind == SourceKind::figure) figure.published = row.number("published");
  if (!figure.sets.empty() && !figure.anchor) throw row.error("sets", "is of anchors alone");
  if (figure.kind != SourceKind::figure && row.given("published")) throw row.error("published", "is of figures alone");
  return figure;
}

}  // namespace

const Words<AskedWay>& words(AskedWay) {
  static const Words<AskedWay> table{"way of asking", {"best", "plain"}};
  return table;
}

const Words<SourceKind>& words(SourceKind) {
  static const Words<SourceKind> table{"kind of figure", {"figure", "claim", "answered", "refused"}};
  return table;
}

std::vector<SourceFigure> parse_source_figures(std::string_view text, const std::string& file) {
  const CsvTable table = parse_csv(text, file);
  check_columns(table, kColumns, kMoreColumns);
  std::vector<SourceFigure> figures;
  for (const CsvRow& row : table.rows) figures.push_back(read_figure(TableRow(table, row)));
  return figures;
}

const std::vector<SourceFigure>& source_figures() {
  static const std::vector<SourceFigure> all = [] {
    const EmbeddedFile& file = file_at(validation_files(), "sources.csv");
    return parse_source_figures(file.text, std::string(file.path));
  }();
  return all;
}

const std::map<std::string, std::string>& source_causes() {
  static const std::map<std::string, std::string> all = [] {
    const EmbeddedFile& file = file_at(validation_files(), "sources_causes.csv");
    const CsvTable table = parse_csv(file.text, std::string(file.path));
    check_columns(table, {"item", "cause"}, {});
    std::map<std::string, std::string> causes;
    for (const CsvRow& fields : table.rows) {
      const TableRow row(table, fields);
      if (!causes.emplace(row.needed("item"), row.needed("cause")).second) throw row.error("item", "stands twice");
    }
    return causes;
  }();
  return all;
}

}  // namespace mlsim::studies
