#include "workloads/model/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/text/errors.hpp"

namespace mlsim::workloads {
namespace {

constexpr std::size_t kLongestText = 200;
constexpr int kDeepestNesting = 32;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// The reader descends recursively: a sum of products of factors.
class Reader {
 public:
  Reader(std::string_view text, const NamedInteger& value_of) : text_(text), value_of_(value_of) {}

  std::int64_t value() {
    const std::int64_t result = sum(0);
    if (next() != '\0') throw InputError(fmt::format("\"{}\" is unexpected in \"{}\"", text_.substr(at_, 1), text_));
    return result;
  }

 private:
  std::int64_t sum(int depth) {
    std::int64_t left = product(depth);
    for (char sign = next(); sign == '+' || sign == '-'; sign = next()) {
      ++at_;
      const std::int64_t right = product(depth);
      const bool overflow =
          sign == '+' ? __builtin_add_overflow(left, right, &left) : __builtin_sub_overflow(left, right, &left);
      if (overflow) throw too_large();
    }
    return left;
  }

  std::int64_t product(int depth) {
    std::int64_t left = factor(depth);
    for (char sign = next(); sign == '*' || sign == '/'; sign = next()) {
      ++at_;
      const std::int64_t right = factor(depth);
      if (sign == '/') {
        left = quotient(left, right);
      } else if (__builtin_mul_overflow(left, right, &left)) {
        throw too_large();
      }
    }
    return left;
  }

  std::int64_t quotient(std::int64_t left, std::int64_t right) const {
    if (right == 0) throw InputError(fmt::format("\"{}\" divides by zero", text_));
    if (right == -1) return negated(left);  // the one quotient that can leave 64 bits
    if (left % right != 0) {
      throw InputError(fmt::format("\"{}\" does not divide: {} / {} leaves {}", text_, left, right, left % right));
    }
    return left / right;
  }

  std::int64_t negated(std::int64_t value) const {
    if (__builtin_sub_overflow(std::int64_t{0}, value, &value)) throw too_large();
    return value;
  }

  std::int64_t factor(int depth) {
    if (depth > kDeepestNesting) throw InputError(fmt::format("\"{}\" is nested too deep", text_));
    const char c = next();
    if (c == '(') {
      ++at_;
      const std::int64_t inside = sum(depth + 1);
      if (next() != ')') throw InputError(fmt::format("a \")\" is missing in \"{}\"", text_));
      ++at_;
      return inside;
    }
    if (c == '-') {
      ++at_;
      return negated(factor(depth + 1));
    }
    if (is_digit(c)) return number();
    if (is_letter(c)) return value_of_(std::string(run()));
    if (c == '\0') throw InputError(fmt::format("\"{}\" ends where a number or a parameter should stand", text_));
    throw InputError(fmt::format("\"{}\" is not a whole number or an expression of parameters", text_));
  }

  std::int64_t number() {
    const std::string_view digits = run();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (end != digits.data() + digits.size()) throw InputError(fmt::format("\"{}\" is not a whole number", digits));
    if (error != std::errc()) throw too_large();
    return value;
  }

  // Returns letters, digits and points from here on, so that 4.5 and 1e3 are one wrong number.
  std::string_view run() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_digit(text_[at_]) || is_letter(text_[at_]) || text_[at_] == '.')) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  char next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  InputError too_large() const { return InputError(fmt::format("\"{}\" is too large; it leaves 64 bits", text_)); }

  std::string_view text_;
  const NamedInteger& value_of_;
  std::size_t at_ = 0;
};

}  // namespace

std::int64_t expression_value(std::string_view text, const NamedInteger& value_of) {
  if (text.size() > kLongestText) {
    throw InputError(fmt::format("\"{}...\" is longer than {} characters", text.substr(0, 40), kLongestText));
  }
  return Reader(text, value_of).value();
}

bool is_parameter_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

}  // namespace mlsim::workloads
