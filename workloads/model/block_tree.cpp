#include "workloads/model/block_tree.hpp"

namespace mlsim::workloads {
namespace {

constexpr int kDeepestBlock = 8;

std::vector<BlockItem> read_items(const Document& list, const FileParameters& parameters, int depth);

BlockTree read_block(const Document& block, const FileParameters& parameters, int depth) {
  block.allow_only({"block", "repeat", "frozen", "layers"});
  if (depth > kDeepestBlock) throw block.error("blocks are nested too deep");
  BlockTree tree{block, block.at("block").text(), 1, block.has("repeat"), std::nullopt, {}};
  check_name(tree.name, block.at("block"));
  if (tree.repeated) tree.repeat = parameters.count(block.at("repeat"));
  if (block.has("frozen")) tree.frozen = block.at("frozen").flag();
  tree.items = read_items(block.at("layers"), parameters, depth);
  return tree;
}

std::vector<BlockItem> read_items(const Document& list, const FileParameters& parameters, int depth) {
  const auto entries = list.items();
  if (entries.empty()) throw list.error("the list of layers is empty");
  std::vector<BlockItem> items;
  for (const auto& entry : entries) {
    if (entry.has("block")) {
      items.push_back({std::nullopt, std::make_shared<BlockTree>(read_block(entry, parameters, depth + 1))});
    } else {
      items.push_back({LayerEntry(entry, depth > 0, parameters), nullptr});
    }
  }
  return items;
}

}  // namespace

BlockTree read_block_tree(const Document& list, const FileParameters& parameters) {
  return {list, "", 1, false, std::nullopt, read_items(list, parameters, 0)};
}

}  // namespace mlsim::workloads
