// A Document reads the files people write (YAML) strictly: every complaint names file, line and the nearest right word.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text/document_tree.hpp"
#include "core/text/embedded_file.hpp"
#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "core/text/words.hpp"

namespace mlsim {

/// A document is one value: a map, a list or a scalar, with its place. Copies are cheap (shared, immutable).
class Document {
 public:
  /// Reads a file from disk. Throws InputError where it is missing, over 4 MiB, binary, truncated or no YAML.
  static Document load(const std::string& path);
  /// Reads text; `name` stands for the file in messages.
  static Document parse(std::string_view text, const std::string& name);
  /// Reads a catalogue's file, whose tree the build has made where it was YAML.
  static Document embedded(const EmbeddedFile& file, const std::string& name);

  bool is_map() const;
  bool is_list() const;
  bool is_scalar() const;

  /// Lays this map over another: what it does not say is as there, in maps below it, too. Figures, which are maps with a
  /// value, and lists stay whole.
  Document over(Document base) const;

  /// Throws where this is no map or holds a key outside `known`.
  void allow_only(const std::vector<std::string>& known) const;
  bool has(const std::string& key) const;
  /// Returns the value under `key`; throws where it is absent.
  Document at(const std::string& key) const;
  /// Returns the entries of a map in file order; throws where this is no map.
  std::vector<std::pair<std::string, Document>> entries() const;
  /// Returns the items of a list; throws where this is no list.
  std::vector<Document> items() const;

  /// Each of these reads a scalar and throws InputError at this place where the text is of another kind.
  std::string text() const;
  double number() const;
  double not_negative_number() const;
  int count(int lowest = 1, int highest = std::numeric_limits<int>::max()) const;
  bool flag() const;  // true or false
  template <class Q>
  Q quantity() const {
    return located([this] { return parse_quantity<Q>(text()); });
  }
  /// Returns the value of an enumeration that has the text as its word.
  template <Worded E>
  E word() const {
    return located([this] { return mlsim::parse<E>(text()); });
  }
  /// Returns the text, which must be one of `known`; `what` names the kind of word in the message.
  std::string word(std::string_view what, const std::vector<std::string>& known) const;

  /// Makes an error at this place.
  InputError error(const std::string& reason) const;
  std::string place() const;  // "file:line"

 private:
  struct Source {
    Source(std::string file, std::string bytes) : name(std::move(file)), tree(std::move(bytes)) {}
    std::string name, tree;  // the tree is empty where the program holds it
  };
  Document(std::shared_ptr<const Source> source, const TreeNode& node) : source_(std::move(source)), node_(node) {}
  std::optional<TreeNode> value_of(const std::string& key) const;
  template <class F>
  auto located(F f) const -> decltype(f()) {
    try {
      return f();
    } catch (const InputError& e) {
      if (!e.place().empty()) throw;
      throw error(e.reason());
    }
  }

  std::shared_ptr<const Source> source_;
  TreeNode node_;
  std::shared_ptr<const Document> base_;  // says what this map does not
};

}  // namespace mlsim
