// Model files by name, alias and likeness.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/document.hpp"
#include "core/text/embedded_file.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::workloads {

/// Parses only what is asked for, once: naming a file reads that file, naming an alias the heads of all files.
class ModelCatalogue {
 public:
  /// Files under "models/", and the user's own with their whole paths; `text` outliving the catalogue. Of two own files
  /// of a name the first counts. Throws InputError where an own file has the name of another one.
  explicit ModelCatalogue(const std::vector<EmbeddedFile>& files, const std::vector<EmbeddedFile>& own = {});

  /// As load_model.
  Model load(const std::string& name) const;
  /// As network_sort.
  NetworkSort sort(const std::string& name) const;
  std::vector<std::string> names() const;  // sorted, without aliases

 private:
  std::string canonical_name(const std::string& word) const;
  Document file(const std::string& name) const;
  Document parsed(const std::string& name, const EmbeddedFile& file) const;
  std::vector<Document> with_likes(Document file, const std::string& name) const;
  std::map<std::string, std::string> aliases() const;

  std::map<std::string, EmbeddedFile> files_;  // by name
  std::set<std::string> own_;                  // those of the user
  mutable std::map<std::string, Model> read_;  // by full name, with overrides
};

}  // namespace mlsim::workloads
