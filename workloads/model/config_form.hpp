// A ConfigForm is what the code of a model type of Hugging Face's transformers does that no key of its config.json says.
#pragma once

#include <map>
#include <string>

#include "workloads/model/model.hpp"

namespace mlsim::workloads {

struct ConfigForm {
  ParameterOverrides parameters{};
  bool tied = false;            // where the file does not say
  bool latent = false;          // multi-head latent attention
  bool mixture = false;         // has experts, whose number the file has to tell
  bool windowed = false;        // sliding_window counts whatever use_sliding_window says
  std::string experts_width{};  // the key of it
  bool patterned = false;       // hybrid_override_pattern says what each layer is
  std::string beside{};         // the key that takes the feed-forward part from beside attention
};

/// Returns the forms by model_type, as the classes of that name have them (huggingface/transformers, models/*/modeling_*.py).
const std::map<std::string, ConfigForm>& config_forms();

}  // namespace mlsim::workloads
