#include "studies/sources/source_score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/process/workers.hpp"
#include "core/text/errors.hpp"
#include "core/text/split.hpp"
#include "core/text/table_row.hpp"
#include "studies/sweep/database.hpp"
#include "validation/cases/cases.hpp"
#include "validation_files.hpp"

namespace mlsim::studies {
namespace {

constexpr double kWorksError = 0.10, kNearError = 0.25;  // relative error

std::vector<std::string> words_of(const std::string& ask) {
  std::vector<std::string> words = split(ask, ' ');
  std::erase(words, "");
  words.insert(words.end(), {"--format", "json"});
  return words;
}

// Evaluates an expression in which the answers are a, b, c, ...
Cell evaluated(const std::string& expression, const std::vector<std::string>& answers) {
  std::string names;
  for (std::size_t i = 0; i < answers.size(); ++i)
    names += fmt::format("{}?{} AS {}", i == 0 ? "" : ", ", i + 1, static_cast<char>('a' + i));
  Database nowhere;
  Database::Query query(nowhere, fmt::format("SELECT {} FROM (SELECT {})", expression, names));
  for (std::size_t i = 0; i < answers.size(); ++i) query.bind(static_cast<int>(i + 1), answers[i]);
  query.next();
  return query.cell(0);
}

// Is empty where the answers do not say it.
std::optional<double> value_of(const SourceFigure& figure, const std::vector<std::string>& answers) {
  try {
    const Cell cell = evaluated(figure.figure, answers);
    return std::holds_alternative<double>(cell) ? std::optional(std::get<double>(cell)) : std::nullopt;
  } catch (const InputError&) {
    throw InputError(figure.place, fmt::format("column \"figure\": \"{}\" is no expression of SQLite", figure.figure));
  }
}

// A command refuses in JSON, too (core/result/refusal.schema.json).
std::string refusal_in(const std::vector<std::string>& answers) {
  for (const std::string& answer : answers)
    if (const Cell reason = evaluated("a->>'$.reason'", {answer}); std::holds_alternative<std::string>(reason))
      return std::get<std::string>(reason);
  return "the answer does not say it";
}

// Asks each different command once, each in a process of its own.
class Answers {
 public:
  Answers(const std::vector<SourceFigure>& figures, const AnswerCommand& answer) {
    std::vector<std::string> asks;
    for (const SourceFigure& figure : figures)
      for (const std::string& ask : figure.asks)
        if (places_.emplace(ask, asks.size()).second) asks.push_back(ask);
    WorkerOptions how;
    how.name = [&](std::size_t i) { return asks[i]; };
    how.activity = "asking for figures of the sources";
    outcomes_ = worker_outcomes(
        asks.size(), [&](std::size_t i) { return answer(words_of(asks[i])); }, how);
  }

  /// Throws what the command threw.
  const std::string& of(const std::string& ask) const { return outcomes_[places_.at(ask)].value(); }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<Outcome> outcomes_;
};

SourceScore score(const SourceFigure& figure, const Answers& answers) {
  SourceScore score{figure, {}, {}};
  std::vector<std::string> texts;
  try {
    for (const std::string& ask : figure.asks) texts.push_back(answers.of(ask));
  } catch (const InputError& refusal) {
    score.refusal = refusal.what();
    return score;
  }
  score.comes = value_of(figure, texts);
  if (!score.comes) score.refusal = refusal_in(texts);
  return score;
}

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

std::optional<double> SourceScore::error() const {
  if (what.kind != SourceKind::figure || !comes) return std::nullopt;
  return (*comes - *what.published) / std::abs(*what.published);
}

SourceVerdict SourceScore::verdict() const {
  if (what.kind == SourceKind::refused) return comes.value_or(0) != 0 ? SourceVerdict::off : SourceVerdict::works;
  if (!comes) return SourceVerdict::not_expressible;
  if (what.kind == SourceKind::answered) return SourceVerdict::answered;
  if (what.kind == SourceKind::claim) return *comes != 0 ? SourceVerdict::works : SourceVerdict::off;
  const double size = std::abs(*error());
  if (what.anchor && size <= kNearError) return SourceVerdict::anchor;
  return size <= kWorksError ? SourceVerdict::works : size <= kNearError ? SourceVerdict::near : SourceVerdict::off;
}

SourceVerdict ItemScore::verdict() const {
  const bool tests = std::any_of(figures.begin(), figures.end(), [](const auto& each) { return each.tested(); });
  std::map<SourceVerdict, std::size_t> counts;
  for (const SourceScore& figure : figures)
    if (!tests || figure.tested()) ++counts[figure.verdict()];
  return std::max_element(
             counts.begin(), counts.end(),
             [](const auto& a, const auto& b) { return std::pair(a.second, a.first) < std::pair(b.second, b.first); })
      ->first;
}

std::vector<ItemScore> score_sources(const std::vector<SourceFigure>& figures, const AnswerCommand& answer) {
  const Answers answers(figures, answer);
  std::vector<ItemScore> items;
  std::map<std::pair<std::string, AskedWay>, std::size_t> places;
  for (const SourceFigure& figure : figures) {
    const auto [place, fresh] = places.emplace(std::pair(figure.item, figure.way), items.size());
    if (fresh) items.push_back({figure.item, figure.document, figure.says, figure.way, {}});
    items[place->second].figures.push_back(score(figure, answers));
  }
  return items;
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
