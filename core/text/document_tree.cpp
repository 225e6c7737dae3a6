#include "core/text/document_tree.hpp"

#include <cassert>

namespace mlsim {

void append_size(std::string& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(0x80 | (number & 0x7f));
  bytes += static_cast<char>(number);
}

void append_node(std::string& bytes, const TreeNode& node) {
  bytes += static_cast<char>(node.kind);
  append_size(bytes, static_cast<std::uint64_t>(node.line));
  append_size(bytes, node.content.size());
  bytes += node.content;
}

std::uint64_t take_size(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (int shift = 0;; shift += 7) {
    assert(!bytes.empty() && shift < 64);
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
}

std::string_view take_text(std::string_view& bytes) {
  const std::uint64_t size = take_size(bytes);
  assert(size <= bytes.size());
  const std::string_view text = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return text;
}

TreeNode take_node(std::string_view& bytes) {
  assert(!bytes.empty());
  TreeNode node;
  node.kind = static_cast<TreeKind>(bytes.front());
  bytes.remove_prefix(1);
  node.line = static_cast<int>(take_size(bytes));
  node.content = take_text(bytes);
  return node;
}

}  // namespace mlsim
