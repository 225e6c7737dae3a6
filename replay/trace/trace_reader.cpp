#include "replay/trace/trace_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/text/errors.hpp"
#include "replay/trace/trace_bytes.hpp"

namespace mlsim::replay {
namespace {

// TraceSax follows the path of keys and fills an event at a time. Depth counts objects and arrays.
class TraceSax {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  explicit TraceSax(const std::function<void(const TraceEvent&)>& take) : take_(take) {}

  TraceHeader header;
  bool has_events = false, is_array = false;
  std::size_t depth() const { return path_.size(); }
  std::string error;

  bool null() { return true; }
  bool boolean(bool) { return true; }
  bool binary(binary_t&) { return true; }
  bool number_integer(number_integer_t n) { return number(static_cast<double>(n), n); }
  bool number_unsigned(number_unsigned_t n) {
    return number(static_cast<double>(n),
                  static_cast<std::int64_t>(std::min<number_unsigned_t>(n, std::numeric_limits<std::int64_t>::max())));
  }
  bool number_float(number_float_t n, const string_t&) { return number(n, nearest_whole<std::int64_t>(n)); }

  bool string(string_t& text) {
    const std::string& key = this->key();
    if (in_event()) {
      if (key == "ph") event_.phase = text.empty() ? 0 : text[0];
      if (key == "cat")
        event_.category = std::move(text);
      else if (key == "name")
        event_.name = std::move(text);
      else if (key == "ts")
        time(begin_us_, text);
      else if (key == "dur")
        time(event_.duration_us, text);
    } else if (in_args()) {
      if (key == "Collective name")
        event_.collective = std::move(text);
      else if (key == "dtype")
        event_.dtype = std::move(text);
      else if (key == "Process Group Name")
        event_.group = std::move(text);
    } else if (in_inputs("Input type") || in_inputs("Input types")) {
      event_.input_types.push_back(std::move(text));
    } else if (in_header("deviceProperties", 3) && key == "name" && header.device.empty()) {
      header.device = std::move(text);
    }
    return true;
  }

  bool start_object(std::size_t) { return enter(false); }
  bool start_array(std::size_t) { return enter(true); }
  bool key(string_t& key) {
    path_.back().key = std::move(key);
    return true;
  }
  bool end_object() {
    if (in_event()) finish_event();
    path_.pop_back();
    return true;
  }
  bool end_array() {
    path_.pop_back();
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& e) {
    error = e.what();
    return false;
  }

 private:
  struct Level {
    bool array = false;
    std::string key;
  };

  const std::string& key() const { return path_.empty() ? empty_ : path_.back().key; }
  // Returns the levels above an event: the array alone, or the object and its array.
  std::size_t above() const { return is_array ? 1 : 2; }
  bool in_events() const { return is_array || (path_.size() > 1 && path_[0].key == "traceEvents" && path_[1].array); }
  bool in_event() const { return path_.size() == above() + 1 && in_events() && !path_.back().array; }
  bool in_args() const {
    return path_.size() == above() + 2 && in_events() && path_[above()].key == "args" && !path_.back().array;
  }
  // Says whether the value lies directly in the list of this name.
  bool in_inputs(const char* list) const {
    return path_.size() == above() + 3 && in_events() && path_[above() + 1].key == list && path_.back().array;
  }
  bool in_header(const char* name, std::size_t depth) const {
    return !is_array && path_.size() == depth && path_[0].key == name;
  }

  bool enter(bool array) {
    if (path_.empty()) is_array = array;
    if (path_.size() == 1 && path_[0].key == "traceEvents") has_events = true;
    // A list of sizes in the list of inputs begins at 0 until its numbers are multiplied; an empty one is no tensor.
    if (array && (in_inputs("Input Dims") || in_inputs("Input dims"))) event_.input_sizes.push_back(0);
    path_.push_back({array, {}});
    if (in_event()) {
      event_ = {};
      begin_us_ = 0;
    }
    return true;
  }

  bool number(double value, std::int64_t whole) {
    const std::string& key = this->key();
    if (in_event()) {
      if (key == "ts")
        begin_us_ = value;
      else if (key == "dur")
        event_.duration_us = value;
      else if (key == "tid")
        event_.thread = whole;
    } else if (in_args()) {
      argument(key, whole);
    } else if (path_.size() == above() + 4 && in_events() && path_.back().array && !event_.input_sizes.empty() &&
               (path_[above() + 1].key == "Input Dims" || path_[above() + 1].key == "Input dims")) {
      double& size = event_.input_sizes.back();
      size = size == 0 ? value : size * value;
    } else if (in_header("distributedInfo", 2)) {
      if (key == "rank") header.rank = nearest_whole<int>(value);
      if (key == "world_size") header.world_size = nearest_whole<int>(value);
    }
    return true;
  }

  void argument(const std::string& key, std::int64_t value) {
    using Argument = std::optional<std::int64_t> TraceEvent::*;
    static constexpr std::array<std::pair<const char*, Argument>, 5> arguments{
        {{"stream", &TraceEvent::stream},
         {"correlation", &TraceEvent::correlation},
         {"In msg nelems", &TraceEvent::in_elements},
         {"Out msg nelems", &TraceEvent::out_elements},
         {"Group size", &TraceEvent::group_size}}};
    for (const auto& [name, member] : arguments)
      if (key == name) event_.*member = value;
  }

  // Some files write numbers as text.
  static void time(double& value, const std::string& text) {
    try {
      if (const double time = std::stod(text); std::isfinite(time)) value = time;
    } catch (const std::exception&) {
    }
  }

  void finish_event() {
    if (event_.phase != 'X') return;
    if (header.events++ == 0) first_begin_us_ = begin_us_;
    event_.begin_us = begin_us_ - first_begin_us_;
    take_(event_);
  }

  const std::function<void(const TraceEvent&)>& take_;
  std::vector<Level> path_;
  TraceEvent event_;
  double begin_us_ = 0, first_begin_us_ = 0;  // the latter of the first event
  const std::string empty_;
};

}  // namespace

TraceHeader read_trace(const std::string& path, const std::function<void(const TraceEvent&)>& take) {
  TraceBytes bytes(path);
  if (bytes.at_end()) throw InputError(path, "is empty");
  TraceSax sax(take);
  const bool whole = nlohmann::json::sax_parse(TraceByteIterator(bytes), TraceByteIterator(), &sax);
  const bool may_lack_its_end = sax.is_array && sax.depth() == 1;
  if (!whole && !(bytes.at_end() && may_lack_its_end)) {
    const char* what = bytes.at_end() ? "was cut off" : "is no JSON";
    throw InputError(path, fmt::format("{} at byte {}, behind {} spans", what, bytes.read(), sax.header.events));
  }
  if (!sax.is_array && !sax.has_events) throw InputError(path, "is no trace: it has no traceEvents");
  if (sax.header.events == 0) throw InputError(path, "has no span");
  return sax.header;
}

}  // namespace mlsim::replay
