// This file is the only wall to yaml-cpp.
#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "core/text/code_point.hpp"
#include "core/text/document_tree.hpp"
#include "core/text/errors.hpp"

namespace mlsim {
namespace {

constexpr int kLargestTree = 200000;  // stops documents that unfold through aliases
constexpr int kDeepestTree = 64;

void refuse_what_is_no_text(std::string_view text, const std::string& name) {
  const auto control = std::find_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7f;
  });
  if (control != text.end()) {
    const auto line = 1 + std::count(text.begin(), control, '\n');
    throw InputError(fmt::format("{}:{}", name, line), "is not text (a control character); expected YAML");
  }
  if (const std::size_t broken = first_broken_utf8(text); broken < text.size()) {
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(broken), '\n');
    throw InputError(fmt::format("{}:{}", name, line), "is not UTF-8 text; save the file in that encoding");
  }
}

// The builder makes the tree from the parser's events. (yaml-cpp's own LoadAll never ends on "[a], b".)
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const std::string& name) : name_(name) {}

  std::string root() const {
    std::string_view bytes = root_;
    const TreeNode node = root_.empty() ? TreeNode() : take_node(bytes);
    if (node.kind == TreeKind::scalar && node.content.empty())
      throw InputError(name_ + ":1", "is empty; expected YAML");
    return root_;
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) throw error(mark, "a second document starts here; a file holds one");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { OnScalar(mark, {}, anchor, {}); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, const std::string& value) override {
    // An escape, as in "\e[31m", would reach the terminal wherever the value is named.
    if (holds_control(value)) throw error(mark, "a value holds a control character");
    --left_;
    Branch branch;
    append_node(branch.bytes, {TreeKind::scalar, mark.line + 1, value});
    add(mark, anchor, branch);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = named_.find(anchor);
    if (found == named_.end()) throw error(mark, "an alias stands inside what it names");
    left_ -= found->second.size;
    add(mark, 0, found->second);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, anchor, TreeKind::list);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, anchor, TreeKind::map);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  // A branch is a finished node with what hangs below it, aliases unfolded.
  struct Branch {
    std::string bytes;
    int size = 1;   // nodes
    int depth = 0;  // levels below
  };
  // An open node is a map or list whose end has not come.
  struct Open {
    TreeKind kind;
    YAML::Mark mark;
    YAML::anchor_t anchor;
    std::string content;
    int size = 1, depth = 0;
    std::set<std::string, std::less<>> keys;
    bool has_key = false;  // whose value comes next
    bool awaits_key() const { return kind == TreeKind::map && !has_key; }
  };

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, TreeKind kind) {
    if (!open_.empty() && open_.back().awaits_key()) throw error(mark, "a key must be a word");
    --left_;
    open_.push_back({kind, mark, anchor, {}, 1, 0, {}, false});
    check_size(mark, 0);
  }

  void close() {
    const Open closed = std::move(open_.back());
    open_.pop_back();
    Branch branch{{}, closed.size, closed.depth};
    append_node(branch.bytes, {closed.kind, closed.mark.line + 1, closed.content});
    add(closed.mark, closed.anchor, branch);
  }

  void add(const YAML::Mark& mark, YAML::anchor_t anchor, const Branch& branch) {
    check_size(mark, branch.depth);
    if (anchor != 0) named_[anchor] = branch;
    if (open_.empty()) {
      root_ = branch.bytes;
      return;
    }
    Open& parent = open_.back();
    if (parent.awaits_key()) {
      take_key(mark, parent, branch.bytes);
      return;
    }
    parent.content += branch.bytes;
    parent.has_key = false;
    parent.size += branch.size;
    parent.depth = std::max(parent.depth, branch.depth + 1);
  }

  void take_key(const YAML::Mark& mark, Open& map, std::string_view bytes) {
    const TreeNode node = take_node(bytes);
    if (node.kind != TreeKind::scalar || node.content.empty()) throw error(mark, "a key must be a word");
    if (!map.keys.emplace(node.content).second)
      throw error(mark, fmt::format("key \"{}\" stands twice", node.content.substr(0, 80)));
    append_size(map.content, node.content.size());
    map.content += node.content;
    map.has_key = true;
    ++left_;  // the limit is on values
  }

  void check_size(const YAML::Mark& mark, int below) const {
    if (left_ < 0 || static_cast<int>(open_.size()) + below > kDeepestTree)
      throw error(mark, "the document is too large or too deep");
  }

  InputError error(const YAML::Mark& mark, const std::string& reason) const {
    return {fmt::format("{}:{}", name_, mark.line + 1), reason};
  }

  const std::string& name_;
  std::string root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Branch> named_;
  int documents_ = 0;
  int left_ = kLargestTree;
};

}  // namespace

std::string yaml_tree(std::string_view text, const std::string& name) {
  refuse_what_is_no_text(text, name);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    TreeBuilder builder(name);
    while (parser.HandleNextDocument(builder)) continue;  // the builder refuses a second document
    return builder.root();
  } catch (const YAML::Exception& e) {
    throw InputError(fmt::format("{}:{}", name, e.mark.line + 1), fmt::format("is no valid YAML: {}", e.msg));
  }
}

}  // namespace mlsim
