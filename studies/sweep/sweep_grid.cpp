#include "studies/sweep/sweep_grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/profile/collective_name.hpp"
#include "core/text/errors.hpp"
#include "core/text/parsed.hpp"
#include "sim/options/option.hpp"
#include "sim/options/options_text.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "workloads/lowering/parallelism.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::studies {
namespace {

// The words are in the order in which points are counted.
const std::vector<std::string> kWords{
    "topology", "workload", "accelerators", "global-batch", "batch-per-accelerator", "parallelism", "precision",
    "fidelity", "seed",     "as-is",        "price-date"};

bool is_of_job(const std::string& key) {
  if (key == "price-date") return true;
  if (question_words().contains(key)) return false;
  return find_option(key).subject == OptionSubject::job;
}

// The settings of a question have each key once; values of one that adds up are joined.
std::vector<std::pair<std::string, std::string>> settings_of_lists(const std::vector<std::string>& settings) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == setting.size())
      throw InputError("--set", fmt::format("\"{}\" is not of the form key=value", setting.substr(0, 80)));
    const std::string key = setting.substr(0, equals), text = setting.substr(equals + 1);
    const Option& option = find_option(key);
    const auto same = std::find_if(all.begin(), all.end(), [&](const auto& other) { return other.first == key; });
    if (same == all.end())
      all.emplace_back(key, text);
    else if (option.adds_up)
      same->second += "," + text;
    else
      throw InputError("--set", fmt::format("\"{}\" is given twice; several values stand in one: {}={},{}", key, key,
                                            same->second, text));
  }
  return all;
}

// Prices that are typed one by one hold for every point together.
SweepAxis own_prices_axis(const QuestionText& lists) {
  QuestionText alone;
  alone.own_prices = lists.own_prices;
  request_of(alone, {});
  for (const std::string& setting : lists.settings)
    if (setting.starts_with("own_price=")) throw InputError("--price", "does not go with --set own_price=");
  return {"own_price", {fmt::format("{}", fmt::join(lists.own_prices, ","))}};
}

}  // namespace

void check_value(const std::string& key, const std::string& value) {
  if (value.empty()) return;
  if (key == "topology") return static_cast<void>(build_cluster(value));
  if (key == "workload" && names_collective(value)) return static_cast<void>(parse_collective_name(value));
  if (key == "workload") return static_cast<void>(load_model(value));
  QuestionText alone;
  set_word(alone, key, value);
  if (key == "parallelism") {
    workloads::check_parallelism(value);
  } else if (question_words().contains(key)) {
    request_of(alone, {});
  } else {
    Options options;
    set_option(options, key, value);
  }
}

SweepGrid::SweepGrid(const QuestionText& lists) {
  std::vector<SweepAxis> of_step, of_job;
  const auto add = [&](const std::string& place, const std::string& key, const std::string& text) {
    const SweepAxis axis = parse_axis(place, key, text);
    for (const std::string& value : axis.values) check_value(key, value);
    (is_of_job(key) ? of_job : of_step).push_back(axis);
  };
  for (const std::string& key : kWords)
    if (const std::string& text = lists.*question_words().at(key); !text.empty()) add("--" + key, key, text);
  for (const auto& [key, text] : settings_of_lists(lists.settings)) add("--set " + key, key, text);
  if (!lists.own_prices.empty()) of_job.push_back(own_prices_axis(lists));

  axes_ = of_step;
  axes_.insert(axes_.end(), of_job.begin(), of_job.end());
  points_ = points_of(axes_);
  points_of_step_ = points_of(of_job);
}

QuestionText SweepGrid::question(std::size_t point) const {
  QuestionText question;
  const std::vector<std::string> chosen = values_of_point(axes_, point);
  for (std::size_t a = 0; a < axes_.size(); ++a)
    if (!chosen[a].empty()) set_word(question, axes_[a].key, chosen[a]);
  return question;
}

}  // namespace mlsim::studies
