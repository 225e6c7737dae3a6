// A name key is one spelling for all that people use: "ResNet50", "BERT_Large" and "tpu v3" become resnet50,
// bert-large and tpu-v3.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlsim {

/// Returns what tells names apart: the name without its case, dashes, underscores and blanks.
std::string name_key(std::string_view name);

/// Tells whether a name has another before its next dash: "mlperf-v0.7-jax" goes on from "mlperf-v0.7", and
/// "mlperf-v0.71" does not.
bool goes_on_from(std::string_view name, std::string_view stem);

/// Returns the one of `names` that is `word` to the letter, or else the first with its key; nothing if there is none.
std::optional<std::string> name_among(const std::vector<std::string>& names, std::string_view word);

}  // namespace mlsim
