// One entry under `layers:` of a model file, as it stands in one repetition of its block.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/document.hpp"
#include "workloads/model.hpp"

namespace mlsim {

const std::vector<std::string>& layer_kind_names();  // "convolution", ...

/// Where an entry stands: inside a repeated block or not, and in which repetition.
struct Repetition {
  bool in_block = false;
  bool first = true;
};

/// Checked on construction: the kind is known and every key belongs to it. Throws InputError at the entry's line.
class LayerEntry {
 public:
  LayerEntry(const Document& entry, Repetition repetition);

  LayerKind kind() const { return kind_; }
  const std::string& name() const { return name_; }
  /// False for an `only: first` layer in a later repetition.
  bool present() const;
  /// The value under `key`; in the first repetition `first: {key: value}` goes before it.
  std::optional<Document> option(const std::string& key) const;
  int count(const std::string& key, int otherwise, int lowest = 1) const;
  int count(const std::string& key) const;  // throws where the key is missing
  InputError error(const std::string& reason) const;

 private:
  Document entry_;
  Repetition repetition_;
  LayerKind kind_ = LayerKind::convolution;
  std::string name_;
};

/// Throws at `place` where `name` cannot name a layer or a block.
void check_name(const std::string& name, const Document& place);

/// The layer that `entry` describes, with its shapes; names and inputs are the caller's. `input` is the shape of the
/// first input, `others` those of the rest. Throws InputError where a shape is impossible or absurdly large.
Layer shaped_layer(const LayerEntry& entry, Shape input, const std::vector<Shape>& others);

}  // namespace mlsim
