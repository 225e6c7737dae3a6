// An `Asking` says how hard the question is that the cases ask: what it tells, and what its answer may lean on.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/text/words.hpp"
#include "sim/plan/request.hpp"
#include "validation/cases/cases.hpp"
#include "validation/namespace.hpp"

namespace mlsim::validation {

/// A case is asked as a row of a table states it; or with its configuration told, but no stack, recipe, optimizer or
/// data, and no table whose anchors come first; or in earnest: with nothing but system, accelerators, model and batch;
/// or bare, without the batch, as people type. What prices and the length of the job say stays.
enum class Telling { as_stated, as_asked, in_earnest, bare };
inline Words<Telling> words(Telling) { return {"telling", {"as-stated", "as-asked", "in-earnest", "bare"}}; }

/// A case may not lean on these anchors, with the constants that stem from them: none; all of its publisher's; those of
/// its own group of rows, of its network, of its accelerator and such of the same speed, or of its very stack; or,
/// asked of MLPerf's rows alone, those of its round and of later ones.
enum class Hidden { nothing, own, table, network, chip, release, era };
inline Words<Hidden> words(Hidden) {
  return {"evidence", {"nothing", "own", "table", "network", "chip", "release", "era"}};
}

/// A case may lean on anchors of these sizes: all; or, asked of cases on several nodes alone, one node.
enum class AnchorSizes { all, one_box };
inline Words<AnchorSizes> words(AnchorSizes) { return {"anchors", {"all", "one-box"}}; }

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
/// given, and a ratio to another case, are not. In earnest rates and times to a target are asked that were run in a
/// narrow format, as nobody runs a wide one unasked; bare times to a target of MLPerf from v1.0 on, and the rates of
/// language models' steps.
bool asked_of(const Asking& asking, const Case& c, NodeCounts& nodes);

/// Strips the request of what is not told.
sim::PredictRequest told(sim::PredictRequest request, Telling telling);

/// Gives a language model's step as the rate that it made, which leaves the batch open; other cases as they are.
Case as_rate(Case step);

/// Keeps of cases that ask the same bare question, of one system, size and model, the quickest.
std::vector<const Case*> quickest_of_each(const std::vector<const Case*>& cases);

}  // namespace mlsim::validation
