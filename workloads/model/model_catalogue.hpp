// A ModelCatalogue finds model files by name, alias and likeness.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/text/document.hpp"
#include "core/text/embedded_file.hpp"
#include "workloads/model/file_parameters.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::workloads {

/// A `WorkloadName` is what stands in front of a colon, and the numbers behind it.
struct WorkloadName {
  std::string base;  // "bert-large", "./own.yaml"
  ParameterOverrides overrides;
};

/// The catalogue parses only what is asked for: naming a file reads that file, an alias the heads of all, once.
class ModelCatalogue {
 public:
  /// The files are those under "models/", and the user's own with their whole paths; `text` outlives the catalogue. Of
  /// two own files of a name the first counts. Throws InputError where an own file has the name of another one.
  explicit ModelCatalogue(const std::vector<EmbeddedFile>& files, const std::vector<EmbeddedFile>& own = {});

  /// Loads a model as load_model does.
  Model load(const std::string& name) const;
  /// As network_sort.
  NetworkSort sort(const std::string& name) const;
  std::vector<std::string> names() const;  // sorted, without aliases
  /// Answers as names_model does.
  bool holds(const std::string& word) const { return known_name(named(word).base).has_value(); }

 private:
  Model load_config(const std::string& path, const ParameterOverrides& given, const std::string& name) const;
  std::vector<std::string> words(const std::map<std::string, std::string>& aliases) const;  // with the names
  std::optional<std::string> known_name(const std::string& word) const;
  std::string canonical_name(const std::string& word) const;
  WorkloadName named(const std::string& name) const;
  Document file(const std::string& name) const;
  Document parsed(const std::string& name, const EmbeddedFile& file) const;
  std::vector<Document> with_likes(Document file, const std::string& name) const;
  std::map<std::string, std::string> aliases() const;

  std::map<std::string, EmbeddedFile> files_;  // by name
  std::set<std::string> own_;                  // those of the user
  mutable std::map<std::string, Model> read_;  // by full name, with overrides
};

}  // namespace mlsim::workloads
