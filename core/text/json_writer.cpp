#include "core/text/json_writer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace mlsim {

std::string JsonWriter::text() const { return object_.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string JsonWriter::line() const { return object_.dump(-1, ' ', false, Json::error_handler_t::replace); }

JsonWriter::Json JsonWriter::json(const std::string& place, double value) {
  if (!std::isfinite(value)) throw std::logic_error(fmt::format("{} is {}, not a finite number", place, value));
  return value;
}

JsonWriter::Json JsonWriter::json(const std::string& place, std::array<double, 2>& value) {
  return Json::array({json(place, value[0]), json(place, value[1])});
}

JsonWriter::Json JsonWriter::json(const std::string&, std::map<std::string, std::string>& value) {
  Json object = Json::object();
  for (const auto& [key, text] : value) object[key] = text;
  return object;
}

}  // namespace mlsim
