#include "reports/renderers/renderers.hpp"

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::sim;
using namespace mlsim::reports;
using Catch::Matchers::ContainsSubstring;

namespace {

Span span(std::uint32_t rank_class, Stream stream, StepPart part, double begin, double end) {
  return {0, rank_class, stream, part, "<k>", Seconds(begin), Seconds(end), {}};
}

}  // namespace

TEST_CASE("a timeline is drawn in lanes, spans that touch as one, at their share of the step") {
  Timeline timeline;
  timeline.class_size = {4};
  timeline.spans = {span(0, Stream::compute, StepPart::forward, 0, 1),
                    span(0, Stream::compute, StepPart::forward, 1, 2),
                    span(0, Stream::compute, StepPart::backward, 2, 4),
                    span(0, Stream::communication, StepPart::gradient_exchange, 3, 4)};
  const std::string svg = timeline_svg(timeline, "Step", "all.");
  CHECK_THAT(svg, ContainsSubstring("class=\"part-forward\" x=\"0.000%\" y=\"18\" width=\"50.000%\"") &&
                      ContainsSubstring("class=\"part-exchange\" x=\"75.000%\" y=\"66\" width=\"25.000%\"") &&
                      ContainsSubstring("compute, all 4 ranks") && ContainsSubstring("role=\"img\""));
  CHECK(svg.find("<k>") == std::string::npos);
  const Table table = timeline_table(timeline);
  REQUIRE(table.rows.size() == 3);
  CHECK(table.rows[0][table.column("at work")].value == 2);
  CHECK(table.rows[0][table.column("pieces")].value == 2);
}

TEST_CASE("of many classes with many spans a few are drawn") {
  Timeline timeline;
  timeline.class_size.assign(20, 1);
  for (std::uint32_t rank_class = 0; rank_class < 20; ++rank_class)
    for (int i = 0; i < 400; ++i)
      timeline.spans.push_back(
          span(rank_class, Stream::compute, i % 2 == 0 ? StepPart::forward : StepPart::backward, i, i + 1));
  const std::size_t rows = timeline_table(timeline).rows.size();
  CHECK(rows >= 400);
  CHECK(rows <= 1500);
}
