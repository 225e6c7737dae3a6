#include "command_complaint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "core/text/code_point.hpp"

namespace mlsim::test {
namespace {

constexpr double kMostSeconds = 60, kMostMebibytes = 1024;
constexpr double kLongestStep = 1e9;  // s; 32 years are no answer
constexpr double kRounding = 1e-6;
constexpr std::size_t kLongestMessage = 2000;
constexpr std::array kLibraryWords{"SimGrid", "simgrid::", "hwloc",     "json.exception", "yaml-cpp",
                                   "std::",   "terminate", "bad_alloc", "basic_string",   "CLI11",
                                   "xbt",     "Backtrace", "CRITICAL",  "assert"};

bool has(const std::string& text, const std::string& word) { return text.find(word) != std::string::npos; }

// The user's own words may be any.
std::string foreign_word(const std::string& text, const std::string& asked) {
  for (const std::string word : kLibraryWords)
    if (has(text, word) && !has(asked, word)) return word;
  return "";
}

bool acts_on_a_terminal(std::string_view text) {
  for (; !text.empty(); text.remove_prefix(first_code_point(text).bytes)) {
    const CodePoint point = first_code_point(text);
    if (point.broken || (is_control(point) && point.value != U'\n' && point.value != U'\t')) return true;
  }
  return false;
}

std::string wrong_sentence(const std::string& err) {
  if (err.empty()) return "says nothing";
  if (!err.starts_with("mlsim: ")) return "does not begin with mlsim:";
  if (err.back() != '\n' || std::count(err.begin(), err.end(), '\n') != 1) return "is not one line";
  if (err.size() > kLongestMessage) return fmt::format("takes {} bytes", err.size());
  return "";
}

std::string sum_complaint(const nlohmann::json& step) {
  double sum = 0;
  for (const char* part : {"compute_s", "exposed_communication_s", "optimizer_s", "input_wait_s", "straggler_wait_s",
                           "bubble_s", "overhead_s"}) {
    const double value = step.at(part).get<double>();
    if (!(value >= 0)) return fmt::format("{} is {}", part, value);
    sum += value;
  }
  const double time = step.at("time_s").get<double>();
  if (!(time > 0) || time > kLongestStep) return fmt::format("the step takes {} s", time);
  if (std::abs(sum - time) > kRounding * time)
    return fmt::format("the parts of a step of {} s add up to {} s", time, sum);
  return "";
}

std::string json_complaint(const std::string& out) {
  const auto json = nlohmann::json::parse(out, nullptr, false);
  if (json.is_discarded()) return "the answer is no JSON";
  if (!json.is_object()) return "";
  const auto& step = json.contains("prediction") ? json.at("prediction") : json;
  return step.is_object() && step.contains("step") && step.at("step").is_object() && step.at("step").contains("time_s")
             ? sum_complaint(step.at("step"))
             : "";
}

bool names_no_number(const std::string& out) {
  static const std::regex word("(^|[^A-Za-z_-])-?(nan|inf|NaN|Infinity)([^A-Za-z_-]|$)");
  return std::regex_search(out.substr(0, 100000), word);
}

// What tells the time differs from run to run.
std::string without_times(const std::string& out) {
  static const std::regex time("\"wall_s\": [^,\n]*");
  return has(out, "\"wall_s\"") ? std::regex_replace(out, time, "") : out;
}

std::string answer_complaint(const CommandRun& run, const std::string& again, const std::string& asked, bool json) {
  if (json)
    if (const std::string wrong = json_complaint(run.out); !wrong.empty()) return wrong;
  if (!json && names_no_number(run.out) && !has(asked, "nan") && !has(asked, "inf"))
    return "a figure of the answer is no number";
  if (run.out.empty()) return "succeeds and says nothing";
  return without_times(run.out) == without_times(again) ? "" : "the same command says something else the second time";
}

// A plan without a system, a diagnosis without a cause, a bound that is missed: said where answers are.
bool is_negative_answer(const CommandRun& run) { return run.code == 1 && run.err.empty() && !run.out.empty(); }

bool asks_for_json(const std::vector<std::string>& arguments) {
  return std::find(arguments.begin(), arguments.end(), "json") != arguments.end();
}

}  // namespace

std::string run_complaint(const CommandRun& run, const std::string& again, const std::vector<std::string>& arguments) {
  const std::string asked = shell_line(arguments);
  const bool json = asks_for_json(arguments);
  if (run.seconds > kMostSeconds) return fmt::format("takes {:.0f} s", run.seconds);
  if (run.signal != 0) return fmt::format("is ended by signal {}", run.signal);
  if (run.mebibytes > kMostMebibytes) return fmt::format("takes {:.0f} MiB", run.mebibytes);
  if (run.code < 0 || run.code > 3) return fmt::format("exits with {}", run.code);
  if (const std::string word = foreign_word(run.err, asked); !word.empty()) return fmt::format("says \"{}\"", word);
  if (acts_on_a_terminal(run.err)) return "says on stderr what a terminal acts on";
  if (run.code == 0 || is_negative_answer(run)) return answer_complaint(run, again, asked, json);
  if (run.code == 1 && json) return "refuses as what is no JSON";
  const std::string wrong = wrong_sentence(run.err);
  return wrong.empty() ? "" : "its sentence " + wrong;
}

std::string command_complaint(const CommandRunner& runner, const std::vector<std::string>& arguments) {
  const CommandRun first = runner.run(arguments);
  const std::string wrong =
      run_complaint(first, first.code == 0 || is_negative_answer(first) ? runner.run(arguments).out : "", arguments);
  return wrong.empty() ? ""
                       : fmt::format("{}\n  {}\n  exit {}: {}", wrong, shell_line(arguments), first.code,
                                     first.err.substr(0, 600));
}

}  // namespace mlsim::test
