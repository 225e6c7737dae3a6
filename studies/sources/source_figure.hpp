// A `SourceFigure` is what one of the documents that mlsim starts from says, and how mlsim is asked for it.
//
// The table validation/published/sources.csv has a row for each figure and each way of asking. `asks` are command lines
// joined by " // ", whose answers in JSON are a, b, c, ... in `figure`, an expression of SQLite:
// `(a->>'$.cost_usd') / (b->>'$.cost_usd')`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/words.hpp"
#include "studies/namespace.hpp"

namespace mlsim::studies {

/// The best way names all that the document tells; the plain one is what somebody types who has just read it.
enum class AskedWay { best, plain };
const Words<AskedWay>& words(AskedWay);

/// A figure is compared with the published one, and a claim is an expression that is true where it holds. Where nothing
/// is published a question has only to be answered, and what a document says is impossible has to be refused:
/// its figure is 0 or missing.
enum class SourceKind { figure, claim, answered, refused };
const Words<SourceKind>& words(SourceKind);

struct SourceFigure {
  std::string item;      // what is counted: a system, a technique or a few figures of one sentence
  std::string document;  // "tpu-multipods"
  std::string says;
  AskedWay way = AskedWay::best;
  std::string figure;
  std::vector<std::string> asks;    // at most kMostAsks
  std::optional<double> published;  // in the figure's unit
  SourceKind kind = SourceKind::figure;
  bool anchor = false;            // an input of the model: what comes is no test
  std::vector<std::string> sets;  // of an input: the constants of mlsim that it sets, "anchor mlbench-4a-n1"
  std::string citation;
  std::string place;  // "file:line"
};

inline constexpr std::size_t kMostAsks = 26;

/// Reads a table. Throws InputError with file, line and column.
std::vector<SourceFigure> parse_source_figures(std::string_view text, const std::string& file);

/// Reads the table that comes with mlsim.
const std::vector<SourceFigure>& source_figures();

/// Gives the probable cause, by item, of what is near, off or cannot be said (validation/published/sources_causes.csv).
const std::map<std::string, std::string>& source_causes();

}  // namespace mlsim::studies
