#include "studies/question.hpp"

#include <cstdint>

#include "core/text/errors.hpp"
#include "core/text/parsed.hpp"
#include "core/text/units_text.hpp"
#include "sim/options/option.hpp"
#include "sim/options/option_rules.hpp"
#include "sim/options/options_text.hpp"

namespace mlsim::studies {
namespace {

Options options_of_words(const QuestionText& question) {
  std::string settings;
  for (const auto& item : question.settings) settings += item + ";";
  // An error names the option that was typed.
  const auto add = [&](const std::string& option, const std::string& key, const std::string& value) {
    parsed(option, value, [&](const std::string& text) {
      Options alone;
      set_option(alone, key, text);
      return alone;
    });
    settings += key + "=" + value + ";";
  };
  if (!question.price_date.empty()) add("--price-date", "price_date", question.price_date);
  for (const std::string& price : question.own_prices) add("--price", "own_price", price);
  Options options = parse_options(settings);
  check_combinations(options);
  return options;
}

bool parse_on(const std::string& text) {
  if (text == "on" || text == "off") return text == "on";
  throw InputError("", unknown_word("switch", text, {"on", "off"}));
}

}  // namespace

const std::map<std::string, std::string QuestionText::*>& question_words() {
  static const std::map<std::string, std::string QuestionText::*> words{
      {"topology", &QuestionText::topology},
      {"workload", &QuestionText::workload},
      {"accelerators", &QuestionText::accelerators},
      {"global-batch", &QuestionText::global_batch},
      {"batch-per-accelerator", &QuestionText::batch_per_accelerator},
      {"parallelism", &QuestionText::parallelism},
      {"precision", &QuestionText::precision},
      {"fidelity", &QuestionText::fidelity},
      {"seed", &QuestionText::seed},
      {"as-is", &QuestionText::as_is},
      {"price-date", &QuestionText::price_date}};
  return words;
}

void check_key(const std::string& place, const std::string& key) {
  std::vector<std::string> known;
  for (const auto& [word, member] : question_words()) known.push_back(word);
  for (const Option& option : option_table()) known.push_back(option.key);
  for (const std::string& word : known)
    if (word == key) return;
  throw InputError(place, unknown_word("key", key, known));
}

void set_word(QuestionText& question, const std::string& key, const std::string& value) {
  if (const auto word = question_words().find(key); word != question_words().end()) {
    question.*word->second = value;
    return;
  }
  if (key == "own_price") question.own_prices.clear();
  std::erase_if(question.settings, [&](const std::string& given) { return given.starts_with(key + "="); });
  question.settings.push_back(key + "=" + value);
}

PredictRequest request_of(const QuestionText& question, const KnownFigures& known) {
  PredictRequest request;
  request.topology = question.topology;
  request.workload = question.workload;
  request.parallelism = question.parallelism;
  const auto count = [](const std::string& text) { return parse_count(text); };
  if (!question.accelerators.empty()) request.accelerators = parsed("--accelerators", question.accelerators, count);
  const auto samples = [](const std::string& text) { return parse_count(text, 1, 1'000'000'000); };
  if (!question.global_batch.empty()) request.global_batch = parsed("--global-batch", question.global_batch, samples);
  if (!question.batch_per_accelerator.empty())
    request.batch_per_accelerator = parsed("--batch-per-accelerator", question.batch_per_accelerator, samples);
  if (!question.precision.empty()) request.precision = parsed("--precision", question.precision, parse<Precision>);
  if (!question.fidelity.empty()) request.fidelity = parsed("--fidelity", question.fidelity, parse<Fidelity>);
  if (!question.seed.empty())
    request.seed = static_cast<std::uint64_t>(
        parsed("--seed", question.seed, [](const std::string& t) { return parse_count(t, 0); }));
  if (!question.as_is.empty()) request.as_is = parsed("--as-is", question.as_is, parse_on);
  request.options = options_of_words(question);
  request.options.price.listed = known.price_lists;
  request.own_profiles = known.own_profiles;
  request.builtin_profiles = known.builtin_profiles;
  request.anchors = known.anchors;
  return request;
}

}  // namespace mlsim::studies
