#include "sim/step/timeline.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace mlsim::sim {
namespace {

using Json = nlohmann::ordered_json;

Json metadata(const char* what, std::size_t process, std::size_t thread, const char* key, const Json& value) {
  return {{"name", what}, {"ph", "M"}, {"pid", process}, {"tid", thread}, {"args", {{key, value}}}};
}

void add_names(Json& events, const Timeline& timeline) {
  for (std::size_t c = 0; c < timeline.class_size.size(); ++c) {
    const auto size = timeline.class_size[c];
    const std::string title = fmt::format("class {}: {} rank{}", c, size, size == 1 ? "" : "s");
    events.push_back(metadata("process_name", c, 0, "name", title));
    events.push_back(metadata("process_sort_index", c, 0, "sort_index", c));
    for (std::size_t s = 0; s < kStreams; ++s) {
      events.push_back(metadata("thread_name", c, s, "name", kStreamNames[s]));
      events.push_back(metadata("thread_sort_index", c, s, "sort_index", s));
    }
  }
}

Json event(const Span& span) {
  const double begin_us = span.begin.value * 1e6;
  return {{"name", span.name},
          {"cat", kStepPartNames[static_cast<std::size_t>(span.part)]},
          {"ph", "X"},
          {"ts", begin_us},
          {"dur", (span.end - span.begin).value * 1e6},
          {"pid", span.rank_class},
          {"tid", static_cast<std::size_t>(span.stream)}};
}

}  // namespace

Seconds Timeline::end() const {
  Seconds last;
  for (const auto& span : spans) last = max(last, span.end);
  return last;
}

std::string trace_json(const Timeline& timeline) {
  Json events = Json::array();
  add_names(events, timeline);
  for (const auto& span : timeline.spans) events.push_back(event(span));
  const Json trace{{"displayTimeUnit", "ms"}, {"traceEvents", events}};
  return trace.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace mlsim::sim
