// SelfPlay is what one iteration of learning by self-play holds besides training: games played, positions evaluated.
//
// A game takes `moves_per_game` moves; a move searches `readouts` positions, or `fast_readouts` in the share of moves
// that are played fast. Each searched position is one forward pass of the network, except the share that a search takes
// over from the tree of the move before or finds in its cache.
#pragma once

#include "core/profile/provenance.hpp"
#include "core/text/document.hpp"

namespace mlsim::workloads {

struct SelfPlay {
  double games = 0;  // an iteration
  double moves_per_game = 0;
  double readouts = 0, fast_readouts = 0;  // positions searched for a move
  double fast_share = 0;                   // share of the moves
  double reused_share = 0;                 // share of the searched positions that need no forward pass
  double training_batch = 0;               // samples, over all accelerators
  Source source;

  /// Returns the forward passes of self-play in one iteration.
  double positions_per_iteration() const;
};

/// Reads `self_play:` of a recipe; throws InputError with file and line.
SelfPlay read_self_play(const Document& at);

}  // namespace mlsim::workloads
