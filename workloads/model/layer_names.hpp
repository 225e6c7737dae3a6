// LayerNames say what a name under `input:` and its like means: an earlier layer or block in sight, or a model's input.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "workloads/model/layer_entry.hpp"

namespace mlsim::workloads {

/// A scope is a list of entries under way: the names in front, what came in, which repetition this is, who stands
/// beside.
struct NameScope {
  const NameScope* outer = nullptr;
  std::string prefix;  // "stage1.block0."
  bool in_block = false;
  int block_input = -1;
  int previous_input = -1;  // what entered the repetition or block before this one; in the first of a list, the list
  bool first = true;        // repetition
  int number = 0;           // number of the repetition, from 0
  bool frozen = false;
  const std::vector<BlockItem>* siblings = nullptr;
  std::size_t self = 0;  // the entry being read
};

/// The names grow with the model. Numbers are those of Layer::inputs.
class LayerNames {
 public:
  explicit LayerNames(const Model& model);

  /// `name` is full ("stage1.block0.conv"), or a block's and means its last layer. Throws at `place` where it is taken.
  void add(const std::string& name, int layer, const Document& place);
  /// A name that the parameters leave out means `layer`, unless a layer of that name is there.
  void add_left_out(const std::string& name, int layer, const Document& place);

  /// Returns what `word` means in `scope`: of this repetition first, then of the blocks around it. Throws InputError.
  int source(const Document& word, const NameScope& scope) const;
  /// Returns the same, but a layer.
  int layer(const Document& word, const NameScope& scope) const;

 private:
  InputError unknown(const Document& word, const NameScope& scope) const;
  InputError too_late(const Document& word, const std::string& reader, bool itself) const;

  struct Meaning {
    int layer;
    bool left_out = false;
  };
  InputError taken(const std::string& name, int layer, const Document& place) const;

  const Model& model_;
  std::unordered_map<std::string, Meaning> by_name_;
};

}  // namespace mlsim::workloads
