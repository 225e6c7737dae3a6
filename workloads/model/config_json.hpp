// A config.json of Hugging Face's transformers describes a language model by its sizes; here it becomes parameters of
// the catalogue's decoder.
#pragma once

#include <string>
#include <vector>

#include "core/text/document.hpp"
#include "workloads/model/file_parameters.hpp"

namespace mlsim::workloads {

/// Says whether `path` is a JSON file, or a folder that has a config.json.
bool is_config_path(const std::string& path);

/// Returns the file that such a path names.
std::string config_file(const std::string& path);

/// Returns "Qwen3-8B" of ".../Qwen3-8B/config.json", "own" of "own.json".
std::string config_name(const std::string& path);

/// A ConfigModel is what a config.json says.
struct ConfigModel {
  std::string model_type;
  ParameterOverrides parameters;  // of the catalogue's model "decoder"
  std::string pattern;            // of its layers; empty where all are alike
};

/// Reads the keys that size a network (huggingface/transformers, src/transformers/models/*/configuration_*.py), with
/// that model type's own defaults; other keys are those of initialisation, text generation and precision. A sample has
/// 4096 tokens, or what max_position_embeddings allows. Throws InputError at file, line and key: an unknown model type
/// (with the known ones), a missing key, keys that contradict each other, heads that do not divide.
ConfigModel read_config(const Document& config);

/// The model types that read_config knows.
std::vector<std::string> config_model_types();

}  // namespace mlsim::workloads
