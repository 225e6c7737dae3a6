// read_model() reads a model file (YAML) into a Model. workloads/catalogue/README.md tells the grammar.
#pragma once

#include <string>
#include <vector>

#include "core/text/document.hpp"
#include "workloads/model/file_parameters.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::workloads {

/// `files` are the model's file and those that it is `like`, each before the one it is like; the last has the layers.
/// `name` is the model's name; `pattern` goes before that of the files (FileParameters). Throws InputError with file,
/// line and the nearest word.
Model read_model(const std::vector<Document>& files, const std::string& name, const ParameterOverrides& overrides = {},
                 const std::string& pattern = {});

}  // namespace mlsim::workloads
