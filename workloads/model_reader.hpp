// Reads a model file (YAML) into a Model: repeats unrolled, references resolved, shapes inferred.
#pragma once

#include <string>

#include "core/document.hpp"
#include "workloads/model.hpp"

namespace mlsim {

/// `name` is the model's name. Throws InputError with file, line and the nearest word.
Model read_model(const Document& file, const std::string& name);

}  // namespace mlsim
