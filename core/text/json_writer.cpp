#include "core/text/json_writer.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace mlsim {

JsonWriter::Json JsonWriter::number(const std::string& place, double value) {
  if (!std::isfinite(value)) throw std::logic_error(fmt::format("{} is {}, not a finite number", place, value));
  return value;
}

}  // namespace mlsim
