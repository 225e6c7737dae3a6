#include "core/profile/measurement.hpp"

#include "core/profile/statistics_json.hpp"
#include "core/text/errors.hpp"
#include "core/text/json_reader.hpp"
#include "core/text/json_writer.hpp"

namespace mlsim {
Cache step_cache(Bytes moved, Bytes last_level) { return moved <= last_level ? Cache::hot : Cache::cold; }

bool is_reference(const std::optional<std::string>& implementation) {
  return implementation && implementation->find("ref") != std::string::npos;
}

template <class Io>
void describe(Io& io, StoppingRule& rule) {
  io.field("noise", rule.noise, kNotNegative);
  io.field("min_samples", rule.min_samples, NumberRange{1});
  io.field("max_samples", rule.max_samples, NumberRange{1});
  io.field("time_limit_s", rule.time_limit, kPositive);
}

template <class Io>
void describe(Io& io, MeasureOrder& order) {
  io.field("subject", order.subject);
  io.field("threads", order.threads, NumberRange{0});
  io.word("cache", order.cache);
  io.field("rule", order.rule);
}

template <class Io>
void describe(Io& io, MeasureReply& reply) {
  io.field("subject", reply.subject);
  io.field("threads", reply.threads, NumberRange{0});
  io.word("cache", reply.cache);
  io.field("unavailable", reply.unavailable);
  io.field("median_s", reply.time.median, kNotNegative);
  io.field("lower_quartile_s", reply.time.lower_quartile, kNotNegative);
  io.field("upper_quartile_s", reply.time.upper_quartile, kNotNegative);
  io.field("count", reply.time.count, NumberRange{0});
  io.field("outliers", reply.time.outliers, NumberRange{0});
  io.field("bytes", reply.bytes, kNotNegative);
  io.field("flop", reply.flop, kNotNegative);
  io.word("stopped_by", reply.stopped_by);
  io.field("largest_error", reply.largest_error, kNotNegative);
  io.field("clock", reply.clock);
  io.field("hosts", reply.hosts);
  io.field_if_any("implementation", reply.implementation);
}

std::string to_line(const MeasureOrder& order) { return JsonWriter::line("order", order); }

std::string to_line(const MeasureReply& reply) { return JsonWriter::line("reply", reply); }

MeasureOrder order_from_line(const std::string& line, const std::string& place) {
  return described<MeasureOrder>(parse_json(line, place), place);
}

MeasureReply reply_from_line(const std::string& line, const std::string& place) {
  return described<MeasureReply>(parse_json(line, place), place);
}

}  // namespace mlsim
