// An `Asking` says how hard the question is that the cases ask: what it tells, and what its answer may lean on.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "core/text/words.hpp"
#include "sim/plan/request.hpp"
#include "validation/cases/cases.hpp"
#include "validation/namespace.hpp"

namespace mlsim::validation {

/// A case is asked as a row of a table states it; or as a planner asks: system, accelerators, model and batch, but no
/// stack, recipe, optimizer or data, and no table whose anchors come first.
enum class Telling { as_stated, as_asked };
const Words<Telling>& words(Telling);

/// A case may not lean on these anchors, with the constants that stem from them: none; all of its publisher's; those of
/// its own group of rows, of its network, of its accelerator and such of the same speed, or of its very stack; or,
/// asked of MLPerf's rows alone, those of its round and of later ones.
enum class Hidden { nothing, own, table, network, chip, release, era };
const Words<Hidden>& words(Hidden);

/// A case may lean on anchors of these sizes: all; or, asked of cases on several nodes alone, one node.
enum class AnchorSizes { all, one_box };
const Words<AnchorSizes>& words(AnchorSizes);

struct Asking {
  Telling telling = Telling::as_stated;
  Hidden hidden = Hidden::nothing;
  AnchorSizes anchors = AnchorSizes::all;
  bool operator==(const Asking&) const = default;
};

/// A `NodeCounts` has the nodes of systems, each built once.
class NodeCounts {
 public:
  /// The count is 1 for a torus, and for a system that cannot be built.
  int of(const std::string& topology, int accelerators);

 private:
  std::map<std::pair<std::string, int>, int> known_;
};

/// Says whether the question is asked of the case. With a question other than the plain one a case whose throughput is
/// given, and a ratio to another case, are not.
bool asked_of(const Asking& asking, const Case& c, NodeCounts& nodes);

/// Strips the request of what a planner does not tell.
sim::PredictRequest as_asked(sim::PredictRequest request);

}  // namespace mlsim::validation
