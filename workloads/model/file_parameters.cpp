#include "workloads/model/file_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "core/text/errors.hpp"

namespace mlsim::workloads {
namespace {

constexpr std::size_t kLongestText = 200, kLongestPattern = 1000;
constexpr int kDeepestNesting = 32;

constexpr std::string_view kRepetition = "repetition", kPattern = "pattern";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// The reader descends recursively: a comparison of sums of products of factors.
class Reader {
 public:
  Reader(std::string_view text, const NamedInteger& value_of, const NamedInteger& beside)
      : text_(text), value_of_(value_of), beside_(beside ? beside : value_of) {}

  std::int64_t value() {
    const std::int64_t result = comparison(0);
    if (next() != '\0') throw InputError(fmt::format("\"{}\" is unexpected in \"{}\"", text_.substr(at_, 1), text_));
    return result;
  }

 private:
  std::int64_t comparison(int depth) {
    const std::int64_t left = sum(depth);
    const char sign = next();
    if (sign != '<' && sign != '>' && sign != '=' && sign != '!') return left;
    ++at_;
    const bool equal = at_ < text_.size() && text_[at_] == '=';
    if (equal) ++at_;
    if (!equal && (sign == '=' || sign == '!'))
      throw InputError(fmt::format("\"{}\" is unexpected in \"{}\"; equal is ==, different !=", sign, text_));
    const std::int64_t right = sum(depth);
    if (sign == '=') return left == right ? 1 : 0;
    if (sign == '!') return left != right ? 1 : 0;
    if (equal && left == right) return 1;
    return (sign == '<' ? left < right : left > right) ? 1 : 0;
  }

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
    for (char sign = next(); sign == '*' || sign == '/' || sign == '%'; sign = next()) {
      ++at_;
      const int silent = sign == '*' && left == 0 ? 1 : 0;
      silent_ += silent;
      const std::int64_t right = factor(depth);
      silent_ -= silent;
      if (sign == '/') {
        left = quotient(left, right);
      } else if (sign == '%') {
        left = rest(left, right);
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

  std::int64_t rest(std::int64_t left, std::int64_t right) const {
    if (right < 1) throw InputError(fmt::format("\"{}\" takes the rest of a division by {}", text_, right));
    return left % right;
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
      const std::int64_t inside = comparison(depth + 1);
      if (next() != ')') throw InputError(fmt::format("a \")\" is missing in \"{}\"", text_));
      ++at_;
      return inside;
    }
    if (c == '-') {
      ++at_;
      return negated(factor(depth + 1));
    }
    if (c == '\'') return letter();
    if (is_digit(c)) return number();
    if (is_letter(c)) return (silent_ > 0 ? beside_ : value_of_)(std::string(run()));
    if (c == '\0') throw InputError(fmt::format("\"{}\" ends where a number or a parameter should stand", text_));
    throw InputError(fmt::format("\"{}\" is not a whole number or an expression of parameters", text_));
  }

  std::int64_t letter() {
    if (at_ + 2 >= text_.size() || text_[at_ + 2] != '\'')
      throw InputError(fmt::format("a quote in \"{}\" does not hold one character", text_));
    at_ += 3;
    return static_cast<unsigned char>(text_[at_ - 2]);
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
  const NamedInteger& beside_;
  std::size_t at_ = 0;
  int silent_ = 0;  // factors of 0 that stand before what is read
};

std::vector<std::pair<std::string, Document>> definitions(const std::vector<Document>& files) {
  if (!files.back().has("parameters")) return {};
  auto defined = files.back().at("parameters").entries();
  for (const auto& [name, value] : defined) {
    if (!is_parameter_name(name) || name == "block_input" || name == kRepetition || name == kPattern) {
      throw value.error(fmt::format("\"{}\" cannot be a parameter; use letters, digits and _", name.substr(0, 80)));
    }
  }
  return defined;
}

std::string read_pattern(const std::vector<Document>& files) {
  for (const Document& file : files) {
    if (!file.has("pattern")) continue;
    const std::string pattern = file.at("pattern").text();
    if (pattern.empty() || pattern.size() > kLongestPattern)
      throw file.at("pattern").error(fmt::format("a pattern has 1 to {} letters", kLongestPattern));
    return pattern;
  }
  return {};
}

InputError unknown_parameter(const std::string& place, const std::string& name, const std::vector<std::string>& known) {
  if (known.empty()) return {place, fmt::format("unknown parameter \"{}\"; the model has none", name)};
  return {place, unknown_word("parameter", name, known)};
}

std::vector<std::string> with_aliases(const std::vector<Document>& files, std::vector<std::string> known) {
  if (files.back().has("parameter_aliases"))
    for (const auto& [word, parameter] : files.back().at("parameter_aliases").entries()) known.push_back(word);
  return known;
}

}  // namespace

std::int64_t expression_value(std::string_view text, const NamedInteger& value_of, const NamedInteger& beside) {
  if (text.size() > kLongestText) {
    throw InputError(fmt::format("\"{}...\" is longer than {} characters", text.substr(0, 40), kLongestText));
  }
  return Reader(text, value_of, beside).value();
}

bool is_parameter_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

ParameterOverrides own_words(const std::vector<Document>& files, const ParameterOverrides& overrides,
                             const std::string& name) {
  if (overrides.empty() || !files.back().has("parameter_aliases")) return overrides;
  std::map<std::string, std::string> own;
  for (const auto& [word, parameter] : files.back().at("parameter_aliases").entries()) own[word] = parameter.text();
  ParameterOverrides result;
  for (const auto& [word, value] : overrides) {
    const auto found = own.find(word);
    const std::string& parameter = found == own.end() ? word : found->second;
    if (!result.emplace(parameter, value).second)
      throw InputError(name, fmt::format("\"{}\" is another word for the parameter \"{}\", which stands there too",
                                         found == own.end() ? word : found->first, parameter));
  }
  return result;
}

FileParameters::FileParameters(const std::vector<Document>& files, const ParameterOverrides& overrides,
                               const std::string& name, const std::string& pattern)
    : pattern_(pattern.empty() ? read_pattern(files) : pattern) {
  auto defined = definitions(files);
  std::vector<std::string> known;
  std::vector<Document> replaced;
  for (const auto& definition : defined) known.push_back(definition.first);
  for (auto file = std::next(files.rbegin()); file != files.rend(); ++file) {
    if (!file->has("parameters")) continue;
    for (const auto& [key, value] : file->at("parameters").entries()) {
      const auto at = std::find(known.begin(), known.end(), key);
      if (at == known.end()) throw unknown_parameter(value.place(), key, known);
      replaced.push_back(std::exchange(defined[at - known.begin()].second, value));
      // An override may well leave out what a file gives: expert_ffn= where the file gives ffn for both.
      if (overrides.empty()) given_[key] = value.place();
    }
  }
  for (const auto& [key, value] : overrides) {
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw unknown_parameter(name, key, with_aliases(files, known));
    given_[key] = name;
  }
  for (const auto& [key, text] : defined) {
    const auto given = overrides.find(key);
    values_[key] = given == overrides.end() ? value(text, 0, std::numeric_limits<std::int64_t>::max()) : given->second;
    if (given != overrides.end()) replaced.push_back(text);
    places_.emplace(key, text);
    defined_by_[key] = std::move(used_);
    used_.clear();
  }
  for (const Document& value : replaced) leave_out(value);
}

std::int64_t FileParameters::value(const Document& count, std::int64_t lowest, std::int64_t highest,
                                   int repetition) const {
  std::int64_t value = 0;
  try {
    value = value_in(count.text(), repetition);
  } catch (const InputError& e) {
    throw count.error(e.reason());
  }
  if (value < lowest) throw count.error(fmt::format("{} is below the smallest possible value, {}", value, lowest));
  if (value > highest) throw count.error(fmt::format("{} is too large; at most {}", value, highest));
  return value;
}

std::int64_t FileParameters::value_in(const std::string& text, int repetition) const {
  if (const auto known = in_all_.find(text); repetition >= 0 && known != in_all_.end()) return known->second;
  bool varies = repetition < 0;
  const auto named = [&](std::set<std::string>& as) {
    return [&, repetition](const std::string& name) {
      varies = varies || name == kRepetition || name == kPattern;
      return value_of(name, repetition, as);
    };
  };
  const std::int64_t value = expression_value(text, named(used_), named(left_out_));
  if (!varies) in_all_.emplace(text, value);
  return value;
}

int FileParameters::count(const Document& count, int lowest, int repetition) const {
  return static_cast<int>(value(count, lowest, std::numeric_limits<int>::max(), repetition));
}

bool FileParameters::flag(const Document& flag, int repetition) const {
  const std::string text = flag.text();
  const bool expression = values_.contains(text) || text.find_first_of(" 0123456789") != std::string::npos;
  return expression ? value(flag, 0, std::numeric_limits<std::int64_t>::max(), repetition) != 0 : flag.flag();
}

void FileParameters::leave_out(const Document& entry) const {
  if (entry.is_map()) {
    for (const auto& [key, value] : entry.entries()) leave_out(value);
  } else if (entry.is_list()) {
    for (const auto& item : entry.items()) leave_out(item);
  } else {
    const std::string text = entry.text();
    for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
      end = at;
      while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
      if (values_.contains(text.substr(at, end - at))) left_out_.insert(text.substr(at, end - at));
    }
  }
}

std::string FileParameters::text(const Document& text) const {
  const std::string pattern = text.text();
  std::string result;
  for (std::size_t at = 0; at < pattern.size();) {
    const auto open = pattern.find('{', at);
    const auto close = pattern.find('}', open);
    if (close == std::string::npos) return result + pattern.substr(at);
    const std::string name = pattern.substr(open + 1, close - open - 1);
    const auto found = values_.find(name);
    if (found == values_.end()) throw unknown_parameter(text.place(), name, names());
    result += pattern.substr(at, open - at) + std::to_string(found->second);
    at = close + 1;
  }
  return result;
}

void FileParameters::check_all_used() const {
  for (auto parameter = values_.rbegin(); parameter != values_.rend(); ++parameter) use_definition(parameter->first);
  for (const auto& [name, place] : places_) {
    if (used_.contains(name)) continue;
    const auto given = given_.find(name);
    if (!left_out_.contains(name))
      throw place.error(fmt::format("no count of the file uses the parameter \"{}\"", name));
    if (given != given_.end())
      throw InputError(given->second,
                       fmt::format("the parameter \"{}\" changes nothing: the other parameters leave out "
                                   "all layers that use it",
                                   name));
  }
}

// What stands in the value of a parameter has an effect, or is left out, where the parameter has or is.
void FileParameters::use_definition(const std::string& name) const {
  const std::set<std::string>& parts = defined_by_.at(name);
  std::set<std::string>& as = used_.contains(name) ? used_ : left_out_;
  for (const auto& part : parts) {
    if (as.insert(part).second) use_definition(part);
  }
}

std::int64_t FileParameters::value_of(const std::string& name, int repetition, std::set<std::string>& as) const {
  if (name == kRepetition && repetition >= 0) return repetition;
  if (name == kPattern && repetition >= 0)
    return pattern_.empty() ? 0 : static_cast<unsigned char>(pattern_[repetition % pattern_.size()]);
  const auto found = values_.find(name);
  if (found == values_.end()) {
    if (values_.empty()) throw InputError(fmt::format("\"{}\" is not a whole number", name));
    throw InputError(unknown_word("parameter", name, names()));
  }
  as.insert(name);
  return found->second;
}

std::vector<std::string> FileParameters::names() const {
  std::vector<std::string> names;
  for (const auto& entry : values_) names.push_back(entry.first);
  return names;
}

}  // namespace mlsim::workloads
