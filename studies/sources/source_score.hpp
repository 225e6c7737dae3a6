// A `SourceScore` says whether mlsim, asked for a figure of its source documents, comes near it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/text/words.hpp"
#include "studies/namespace.hpp"
#include "studies/sources/source_figure.hpp"

namespace mlsim::studies {

/// Within 10 % a figure works, within 25 % it is near; a claim works or is off. In order, from good to bad. What is
/// only answered, and an anchor that comes back, is no test.
enum class SourceVerdict { answered, anchor, works, near, off, not_expressible };
const Words<SourceVerdict>& words(SourceVerdict);

struct SourceScore {
  SourceFigure what;
  std::optional<double> comes;  // empty where it cannot be said
  std::string refusal;          // why it cannot be said

  SourceVerdict verdict() const;
  bool tested() const { return !what.anchor && what.kind != SourceKind::answered; }
  /// The relative error of a figure, +0.1 where mlsim says 10 % too much.
  std::optional<double> error() const;
};

/// An `ItemScore` is an item asked in one way: as most of its figures are that test something, the worse where they
/// are even.
struct ItemScore {
  std::string item, document, says;
  AskedWay way = AskedWay::best;
  std::vector<SourceScore> figures;

  SourceVerdict verdict() const;
};

/// Answers a command line, its words behind the program's name, in JSON; throws what the command throws.
using AnswerCommand = std::function<std::string(const std::vector<std::string>& words)>;

std::string to_json(const std::vector<ItemScore>& items);

/// Asks each different command once. An InputError of a command makes a score, one of a figure's expression is thrown.
std::vector<ItemScore> score_sources(const std::vector<SourceFigure>& figures, const AnswerCommand& answer);

}  // namespace mlsim::studies
