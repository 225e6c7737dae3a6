// A LayerEntry is one entry under `layers:` of a model file, as it stands in one repetition of its block.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/text/document.hpp"
#include "workloads/model/file_parameters.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::workloads {

/// The constructor checks that the kind is known and every key belongs to it. Throws InputError at the entry's line.
class LayerEntry {
 public:
  /// The entry begins as in the first repetition. `parameters` outlives the entry.
  LayerEntry(const Document& entry, bool in_block, const FileParameters& parameters);
  /// `number` is that of the repetition around, from 0, `first` says whether the block's own is the first.
  void set_repetition(int number, bool first) {
    number_ = number;
    first_ = first;
  }

  LayerKind kind() const { return kind_; }
  const std::string& name() const { return name_; }
  /// Returns false for an `only: first` layer in a later repetition.
  bool present() const { return first_ || !only_first_; }
  /// Returns whether the model has the layer in this repetition: `when` is not 0. Its parameters then count as used.
  bool holds() const;
  std::optional<bool> frozen() const;

  /// Returns the value under `key`; in the first repetition `first: {key: value}` goes before it.
  std::optional<Document> option(const std::string& key) const;
  Document required(const std::string& key) const;  // throws where the key is missing

  int count(const std::string& key) const;
  int count(const std::string& key, int fallback, int lowest = 1) const;
  /// Reads one number or a list of them, each at most `highest`.
  std::vector<std::int64_t> counts(const std::string& key, std::int64_t highest) const;
  bool flag(const std::string& key, bool fallback) const;
  /// Reads `n` for both sides, or `[height, width]`.
  Extent extent(const std::string& key, int lowest = 1) const;
  Extent extent(const std::string& key, Extent fallback, int lowest = 1) const;

  InputError error(const std::string& reason) const { return entry_.error(reason); }
  const Document& document() const { return entry_; }

 private:
  // Reads also the value that the first repetition replaces: it must be right, and its parameters are in use.
  template <class Read>
  auto read(const std::string& key, Read value) const {
    const Document document = required(key);
    const Document* const own = found(own_, key);
    if (first_ && !first_options_.empty() && own != nullptr) value(*own);
    return value(document);
  }

  // Keys are looked up in every repetition, so the entry's map is read once.
  using Map = std::vector<std::pair<std::string, Document>>;
  static const Document* found(const Map& map, const std::string& key);

  Document entry_;
  Map own_, first_options_;
  const FileParameters* parameters_;
  int number_ = 0;  // of the repetition
  bool first_ = true, only_first_ = false;
  LayerKind kind_ = LayerKind::convolution;
  std::string name_;
};

/// Throws at `place` where `name` cannot name a layer, a block or an input.
void check_name(const std::string& name, const Document& place);

/// Returns the layer that `entry` describes, with its shapes; inputs and the full name are the caller's. `input` is the
/// first input's shape, `others` are the rest's. Throws InputError where a shape is impossible or absurdly large.
Layer shaped_layer(const LayerEntry& entry, Shape input, std::vector<Shape> others);

struct BlockItem;

/// A BlockTree has layers and blocks nested as in the model file, each entry checked once, before repeats are unrolled.
/// The tree is a list of layers and blocks: a block's or, with an empty name, the whole model's or those of a group,
/// whose layers are named as if they stood beside it.
struct BlockTree {
  Document document;  // the block's own
  std::string name{};
  int repeat = 1;
  bool repeated = false;  // the file says how often, and names carry the repetition
  const FileParameters* parameters = nullptr;
  std::optional<bool> frozen{};
  std::optional<Document> when{};
  std::vector<BlockItem> items;

  /// Returns whether the model has the block in this repetition of the one around, as LayerEntry::holds.
  bool holds(int number) const;
};

struct BlockItem {
  std::optional<LayerEntry> layer;  // or
  std::shared_ptr<BlockTree> block;
  const std::string& name() const { return layer ? layer->name() : block->name; }
};

/// `parameters` outlives the tree. Throws InputError.
BlockTree read_block_tree(const Document& list, const FileParameters& parameters);

}  // namespace mlsim::workloads
