#include "core/text/statement.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/text/units_text.hpp"

namespace mlsim {
namespace {

NamedQuantity number_of(std::string_view name, std::string_view unit, double value, std::string text) {
  return {std::string(name), std::string(unit), value, std::move(text)};
}

}  // namespace

NamedQuantity named(std::string_view name, Seconds time) { return number_of(name, "s", time.value, to_text(time)); }

NamedQuantity named(std::string_view name, Bytes size) { return number_of(name, "B", size.value, to_text(size)); }

NamedQuantity named(std::string_view name, BytesPerSecond rate) {
  return number_of(name, "B/s", rate.value, to_text(rate));
}

NamedQuantity named(std::string_view name, PerSecond rate) {
  return number_of(name, "1/s", rate.value, fmt::format("{:.3g} samples/s", rate.value));
}

NamedQuantity named(std::string_view name, double number) {
  return number_of(name, "1", number, fmt::format("{:.3g}", number));
}

NamedQuantity named(std::string_view name, int number) {
  return number_of(name, "1", number, fmt::format_int(number).str());
}

NamedQuantity named(std::string_view name, std::string_view words) {
  return {std::string(name), {}, {}, std::string(words)};
}

NamedQuantity named_exact(std::string_view name, double number) {
  return number_of(name, "1", number, fmt::format("{}", number));
}

NamedQuantity named_count(std::string_view name, double number) {
  return number_of(name, "1", number, count_text(number));
}

NamedQuantity named_percent(std::string_view name, double share) {
  return number_of(name, "1", share, fmt::format("{:.3g} %", 100 * share));
}

void Statement::add(const NamedQuantity& quantity) {
  text += quantity.text;
  quantities.push_back(quantity);
}

void Statement::add(const Statement& other) {
  text += other.text;
  quantities.insert(quantities.end(), other.quantities.begin(), other.quantities.end());
}

Statement joined(const std::vector<Statement>& parts, std::string_view separator) {
  Statement all;
  for (const Statement& part : parts) {
    if (!all.text.empty()) all.add(separator);
    all.add(part);
  }
  return all;
}

}  // namespace mlsim
