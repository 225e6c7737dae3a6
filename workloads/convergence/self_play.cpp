#include "workloads/convergence/self_play.hpp"

#include <fmt/format.h>

namespace mlsim::workloads {
namespace {

double share(const Document& at) {
  const double value = at.number();
  if (!(value >= 0 && value <= 1)) throw at.error(fmt::format("must be between 0 and 1, not {}", value));
  return value;
}

}  // namespace

double SelfPlay::positions_per_iteration() const {
  return games * moves_per_game * (1 - reused_share) * ((1 - fast_share) * readouts + fast_share * fast_readouts);
}

SelfPlay read_self_play(const Document& at) {
  at.allow_only({"games", "moves_per_game", "readouts", "fast_readouts", "fast_share", "reused_share", "training_batch",
                 "source"});
  SelfPlay play;
  play.games = at.at("games").count();
  play.moves_per_game = at.at("moves_per_game").count();
  play.readouts = at.at("readouts").count();
  play.fast_readouts = at.at("fast_readouts").count();
  play.fast_share = share(at.at("fast_share"));
  play.reused_share = share(at.at("reused_share"));
  play.training_batch = at.at("training_batch").count();
  play.source = {Provenance::published, at.at("source").text(), {}};
  return play;
}

}  // namespace mlsim::workloads
