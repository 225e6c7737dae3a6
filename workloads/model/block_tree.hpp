// A `BlockTree` has layers and blocks nested as in the model file, each entry checked once, before repeats are
// unrolled.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workloads/model/layer_entry.hpp"

namespace mlsim::workloads {

struct BlockItem;

/// The tree is a list of layers and blocks: a block's or, with an empty name, the whole model's.
struct BlockTree {
  Document document;  // the block's own
  std::string name;
  int repeat = 1;
  bool repeated = false;  // the file says how often, and names carry the repetition
  std::optional<bool> frozen;
  std::vector<BlockItem> items;
};

struct BlockItem {
  std::optional<LayerEntry> layer;  // or
  std::shared_ptr<BlockTree> block;
  const std::string& name() const { return layer ? layer->name() : block->name; }
};

/// `parameters` outlives the tree. Throws InputError.
BlockTree read_block_tree(const Document& list, const FileParameters& parameters);

}  // namespace mlsim::workloads
