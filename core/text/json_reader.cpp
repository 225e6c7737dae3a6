#include "core/text/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/text/code_point.hpp"
#include "core/text/json_tree.hpp"
#include "core/text/spelling.hpp"
#include "core/text/unknown_key.hpp"

namespace mlsim {
namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMostKeys = 1000;
constexpr std::size_t kLongestReason = 160;

// Shows a wrong value in a message.
std::string shown(const Json& json) {
  if (json.is_object()) return "an object";
  if (json.is_array()) return "a list";
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 60) + "...";
}

InputError wrong_type(const std::string& place, std::string_view expected, const Json& json) {
  return {place, fmt::format("expected {}, found {}", expected, shown(json))};
}

void check_bounds(const std::string& place, double value, NumberRange bounds) {
  if (value < bounds.lowest) {
    throw InputError(place, bounds.lowest == kPositive.lowest
                                ? fmt::format("{} is not above 0", value)
                                : fmt::format("{} is below the smallest possible value, {}", value, bounds.lowest));
  }
  if (value > bounds.highest) {
    throw InputError(place, fmt::format("{} is above the largest possible value, {}", value, bounds.highest));
  }
}

std::size_t line_of(const std::string& text, std::size_t byte) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
  return 1 + static_cast<std::size_t>(std::count(text.begin(), end, '\n'));
}

// nlohmann's messages open with "[json.exception.parse_error.101] parse error at line 1, column 3: ", and may repeat
// all of a text that was not closed: "...; last read: '...'".
std::string reason_of(const std::exception& e) {
  const std::string text = e.what();
  const auto bracket = text.find("] ");
  const auto colon = text.find(": ");
  const auto start = text.find("parse error at") != std::string::npos && colon != std::string::npos ? colon : bracket;
  return shown_text(start == std::string::npos ? text : text.substr(start + 2), kLongestReason);
}

// Watch looks for what nlohmann lets pass, a key given twice and nesting without end, and for more keys than its
// ordered objects, which search one by one, are fit for. Wrong syntax is left to the parser.
class Watch : public nlohmann::json_sax<Json> {
 public:
  explicit Watch(std::string file) : file_(std::move(file)) {}
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool key(string_t& key) override {
    if (!levels_.back().insert(key).second)
      throw InputError(file_, fmt::format("key {} is given twice in one object", shown(key)));
    if (levels_.back().size() > kMostKeys)
      throw InputError(file_, fmt::format("an object has more than {} keys", kMostKeys));
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  bool enter() {
    if (levels_.size() == kDeepest) throw InputError(file_, fmt::format("nested deeper than {} levels", kDeepest));
    levels_.emplace_back();
    return true;
  }
  bool leave() {
    levels_.pop_back();
    return true;
  }

  std::string file_;
  std::vector<std::set<std::string>> levels_;  // keys of each object that is open; none of a list
};

}  // namespace

Json parse_json(const std::string& text, const std::string& file) {
  if (text.find('\0') != std::string::npos) throw InputError(file, "is binary, not JSON");
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) throw InputError(file, "is empty, expected JSON");
  Watch watch(file);
  Json::sax_parse(text, &watch);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& e) {
    throw InputError(fmt::format("{}:{}", file, line_of(text, e.byte)), "is not valid JSON: " + reason_of(e));
  } catch (const Json::exception& e) {
    throw InputError(file, "is not valid JSON: " + reason_of(e));
  }
}

void refuse_control(const Json& value, const std::string& place) {
  if (value.is_string() && holds_control(value.get_ref<const std::string&>()))
    throw InputError(place, fmt::format("{} holds a control character", shown(value)));
  if (!value.is_structured()) return;
  for (const auto& [key, child] : value.items()) {
    if (holds_control(key)) throw InputError(place, fmt::format("key {} holds a control character", shown(Json(key))));
    if (child.is_structured() || child.is_string()) refuse_control(child, place + ": " + key);
  }
}

std::string json_tree(const std::string& text, const std::string& file) {
  const Json json = parse_json(text, file);
  refuse_control(json, file);
  std::string tree;
  Json::to_cbor(json, tree);
  return tree;
}

JsonReader::JsonReader(const Json& value, std::string place, std::string prefix)
    : object_(value), place_(std::move(place)), prefix_(std::move(prefix)) {
  if (!object_.is_object()) throw wrong_type(place_, "an object", object_);
}

const Json* JsonReader::take(const char* key) {
  known_.emplace_back(key);
  const auto found = object_.find(key);
  if (found != object_.end()) return &*found;
  missing_.emplace_back(key);
  return nullptr;
}

void JsonReader::finish() const {
  for (const auto& [key, value] : object_.items()) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
      throw InputError(place_, unknown_key(key, known_));
    }
  }
  if (!missing_.empty()) throw InputError(place_, fmt::format("key \"{}\" is missing", missing_.front()));
}

void JsonReader::read(const Json& json, const std::string& place, double& value, NumberRange bounds) {
  if (!json.is_number()) throw wrong_type(place, "a number", json);
  value = json.get<double>();
  if (!std::isfinite(value)) throw wrong_type(place, "a finite number", json);
  check_bounds(place, value, bounds);
}

void JsonReader::read(const Json& json, const std::string& place, int& value, NumberRange bounds) {
  if (!json.is_number_integer()) throw wrong_type(place, "a whole number", json);
  bounds.lowest = std::max(bounds.lowest, static_cast<double>(std::numeric_limits<int>::min()));
  bounds.highest = std::min(bounds.highest, static_cast<double>(std::numeric_limits<int>::max()));
  check_bounds(place, json.get<double>(), bounds);
  value = json.get<int>();
}

void JsonReader::read(const Json& json, const std::string& place, std::uint64_t& value) {
  if (!json.is_number_unsigned()) throw wrong_type(place, "a whole number of at least 0", json);
  value = json.get<std::uint64_t>();
}

void JsonReader::read(const Json& json, const std::string& place, bool& value) {
  if (!json.is_boolean()) throw wrong_type(place, "true or false", json);
  value = json.get<bool>();
}

void JsonReader::read(const Json& json, const std::string& place, std::string& value) {
  if (!json.is_string()) throw wrong_type(place, "a text", json);
  value = json.get<std::string>();
}

void JsonReader::read(const Json& json, const std::string& place, std::string& value, const OneOf& known) {
  read(json, place, value);
  const std::vector<std::string> words(known.words.begin(), known.words.end());
  if (std::find(words.begin(), words.end(), value) == words.end())
    throw InputError(place, unknown_word("word", value, words));
}

void JsonReader::read(const Json& json, const std::string& place, std::array<double, 2>& value, NumberRange bounds) {
  expect_list(json, place);
  if (json.size() != 2) throw InputError(place, fmt::format("expected 2 numbers, found {}", json.size()));
  read(json[0], place + "[0]", value[0], bounds);
  read(json[1], place + "[1]", value[1], bounds);
  if (value[0] > value[1]) throw InputError(place, fmt::format("{} is above {}", value[0], value[1]));
}

void JsonReader::read(const Json& json, const std::string& place, std::map<std::string, std::string>& value) {
  if (!json.is_object()) throw wrong_type(place, "an object", json);
  value.clear();
  for (const auto& [key, text] : json.items()) read(text, place + "." + key, value[key]);
}

void JsonReader::expect_list(const Json& json, const std::string& place) {
  if (!json.is_array()) throw wrong_type(place, "a list", json);
}

}  // namespace mlsim
