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

/// Returns the one of `names` that is `word` to the letter, or else the first with its key; nothing if there is none.
std::optional<std::string> name_among(const std::vector<std::string>& names, std::string_view word);

}  // namespace mlsim
