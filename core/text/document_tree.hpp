// A document tree is a document as bytes: reading YAML makes it, the build puts it beside a catalogue file's text.
//
// A node is its kind, its line, the bytes of what follows, and that: a scalar's text, a list's nodes, or a map's keys,
// each with its length before it and its node behind it. Numbers are in base 128, the lowest digits first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mlsim {

enum class TreeKind : char { map = 'm', list = 'l', scalar = 's' };

struct TreeNode {
  TreeKind kind = TreeKind::scalar;
  int line = 0;
  std::string_view content;
};

void append_size(std::string& bytes, std::uint64_t number);
void append_node(std::string& bytes, const TreeNode& node);

/// Each of these takes one value off the front of bytes that the functions above made.
std::uint64_t take_size(std::string_view& bytes);
std::string_view take_text(std::string_view& bytes);  // its length, then it
TreeNode take_node(std::string_view& bytes);

/// Returns the tree of a YAML document, aliases unfolded. Throws InputError at "name:line" where the text is binary,
/// empty, no YAML, more than one document, has a key twice, or is too large or too deep (200 000 values, 64 levels).
std::string yaml_tree(std::string_view text, const std::string& name);

}  // namespace mlsim
