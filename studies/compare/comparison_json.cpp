#include "core/text/json_schema_writer.hpp"
#include "studies/compare/comparison.hpp"

namespace mlsim::studies {
namespace {

// A NamedFigure has its best answer by name and its ratios, where a ComparedFigure has the answer's number.
struct NamedFigure {
  ComparedFigure figure;
  std::optional<std::string> best{};
  std::vector<std::optional<double>> ratios{};
};

NamedFigure named_figure(const ComparedFigure& figure, const std::vector<ComparedAnswer>& answers) {
  NamedFigure named{figure};
  if (figure.best) named.best = answers[*figure.best].name;
  for (std::size_t i = 0; i < figure.values.size(); ++i) named.ratios.push_back(if_finite(figure.ratio(i)));
  return named;
}

template <class Io>
void describe(Io& io, const NamedFigure& named) {
  io.field("name", named.figure.name);
  io.field("unit", named.figure.unit);
  io.field("best", named.best);
  io.field("values", named.figure.values);
  io.field("ratios", named.ratios);
  io.field("intervals", named.figure.intervals);
}

}  // namespace

template <class Io>
void describe(Io& io, const ComparedAnswer& answer) {
  io.field("name", answer.name);
  io.field_if_any("prediction", answer.prediction);
  io.field_if_any("refusal", if_any(answer.refusal));
}

template <class Io>
void describe(Io& io, const ComparedInput& input) {
  io.field("name", input.name);
  io.field("differs", input.differs());
  io.field("values", input.values);
}

template <class Io>
void describe(Io& io, const Comparison& comparison) {
  std::vector<NamedFigure> figures;
  for (const ComparedFigure& figure : comparison.figures) figures.push_back(named_figure(figure, comparison.answers));
  io.field("answers", comparison.answers);
  io.field("targets_differ", comparison.targets_differ);
  io.field("inputs", comparison.inputs);
  io.field("figures", figures);
}

std::string to_json(const Comparison& comparison) { return JsonWriter::text("comparison", comparison); }

}  // namespace mlsim::studies

template std::string mlsim::json_schema<mlsim::studies::Comparison>();
