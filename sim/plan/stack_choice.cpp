#include "sim/plan/stack_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/errors.hpp"

namespace mlsim::sim {
namespace {

using Terms = std::vector<const StackTerm*>;

bool goes_on_from(const std::string& name, const std::string& stem) {
  return name.size() > stem.size() && name.starts_with(stem) && name[stem.size()] == '-';
}

// Lists the terms of the accelerator that suit the family, in the order of the profiles.
Terms suitable(const ProfileRefs& profiles, const std::string& accelerator, const std::string& family) {
  Terms terms;
  for (const Profile& profile : profiles) {
    if (profile.accelerator != accelerator) continue;
    for (const auto& term : profile.stacks) {
      if (term.family.empty() || term.family == family) terms.push_back(&term);
    }
  }
  return terms;
}

// Returns the first term of stack `name`, one of the family's own before one of any; null where there is none.
const StackTerm* of_name(const Terms& terms, const std::string& name) {
  const StackTerm* found = nullptr;
  for (const auto* term : terms) {
    if (term->stack == name && (found == nullptr || (found->family.empty() && !term->family.empty()))) found = term;
  }
  return found;
}

// Returns the stack with the longest name that `asked` goes on from; null where there is none.
const StackTerm* stem_of(const Terms& terms, const std::string& asked) {
  const StackTerm* longest = nullptr;
  for (const auto* term : terms) {
    if (goes_on_from(asked, term->stack) && (longest == nullptr || term->stack.size() > longest->stack.size()))
      longest = term;
  }
  return longest == nullptr ? nullptr : of_name(terms, longest->stack);
}

// Returns the first terms of stack `asked` that hold for any family, on any accelerator; null where there are none.
const StackTerm* on_other_accelerators(const ProfileRefs& profiles, const std::string& asked) {
  for (const Profile& profile : profiles) {
    for (const auto& term : profile.stacks)
      if (term.stack == asked && term.family.empty()) return &term;
  }
  return nullptr;
}

void check_known(const ProfileRefs& profiles, const std::vector<ParsedAnchor>& anchors, const std::string& asked) {
  std::vector<std::string> known;
  for (const Profile& profile : profiles) {
    for (const auto& term : profile.stacks) known.push_back(term.stack);
  }
  for (const auto& anchor : anchors) {
    if (const auto& stack = anchor.options.software.stack; !stack.empty()) known.push_back(stack);
  }
  if (std::find(known.begin(), known.end(), asked) != known.end()) return;
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  throw InputError(fmt::format("--set stack={}", asked), unknown_word("stack", asked, known));
}

}  // namespace

StackTerm choose_stack(const ProfileRefs& profiles, const std::vector<ParsedAnchor>& anchors,
                       const std::string& accelerator, const std::string& family, const std::string& asked) {
  if (!asked.empty()) check_known(profiles, anchors, asked);
  const Terms terms = suitable(profiles, accelerator, family);
  if (terms.empty()) {
    if (const auto* elsewhere = on_other_accelerators(profiles, asked); elsewhere != nullptr) return *elsewhere;
    StackTerm none;
    none.stack = asked;
    none.source = {Provenance::assumed,
                   fmt::format("no stack is known for {}; no fixed step time assumed", accelerator), ""};
    return none;
  }
  if (asked.empty()) return *of_name(terms, terms.front()->stack);
  if (const auto* same = of_name(terms, asked)) return *same;
  const StackTerm* near = stem_of(terms, asked);
  if (near == nullptr) near = of_name(terms, terms.front()->stack);
  StackTerm term = *near;
  term.source = {Provenance::assumed, fmt::format("terms of {}, the nearest known stack", near->stack), ""};
  term.stack = asked;
  return term;
}

}  // namespace mlsim::sim
