// A `QuestionText` is a question as it is typed, word by word, for predict, compare, sweep and plan.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/plan/request.hpp"
#include "studies/namespace.hpp"
#include "topologies/price/own_price.hpp"

namespace mlsim::studies {

/// Each may be empty: nothing was said.
struct QuestionText {
  std::string topology, workload, accelerators, global_batch, batch_per_accelerator, parallelism, precision, fidelity;
  std::string seed, price_date;
  std::string as_is;                    // "on": the plain defaults
  std::vector<std::string> settings;    // "key=value"
  std::vector<std::string> own_prices;  // "p5=98USD/h"
};

/// Lists the words that are no settings, by the names that they have on the command line: "global-batch".
const std::map<std::string, std::string QuestionText::*>& question_words();

/// Throws InputError, whose place is `place`, where `key` is neither a word nor a setting.
void check_key(const std::string& place, const std::string& key);

/// Gives a word or a setting its value, in place of what it had.
void set_word(QuestionText& question, const std::string& key, const std::string& value);

/// `KnownFigures` are what an answer may lean on.
struct KnownFigures {
  SharedList<Profile> own_profiles, builtin_profiles;
  Evidence anchors;
  std::vector<OwnPrice> price_lists = {};  // of the user
};

/// Throws InputError that names the option which is wrong.
PredictRequest request_of(const QuestionText& question, const KnownFigures& known);

}  // namespace mlsim::studies
