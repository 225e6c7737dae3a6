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

/// Reads everything but the layers and the name. `files` are the model's file and those that it is like, each before
/// the one it is like; what the first says goes before. Throws InputError with file, line and the nearest word.
Model read_header(const std::vector<Document>& files, const FileParameters& parameters);

/// The sort that the first of the files names; images where none does.
NetworkSort read_sort(const std::vector<Document>& files);

/// Marks every layer outside of `blocks` as eager, so that nothing merges with it (tf.function with jit_compile). A
/// name stands for all blocks and layers that have it between the dots of their name: "encoder" and "encoder.block3"
/// for encoder.block3.norm. Throws InputError with the nearest name for one that the model does not have.
void compile_only(Model& model, const std::vector<std::string>& blocks);

}  // namespace mlsim::workloads
