// `MeasuredCollectives` were measured on the very system that is asked about.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/profile/collective.hpp"
#include "core/profile/collective_curve.hpp"
#include "core/profile/profile.hpp"
#include "core/profile/rank_scaling.hpp"
#include "core/text/statement.hpp"
#include "core/units.hpp"
#include "costs/nccl_system.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// An `NcclCollective` takes NCCL's quickest variant, with the constants that are fitted to other systems.
struct NcclCollective {
  NcclSystem system;
  CollectiveKind kind = CollectiveKind::all_reduce;
  Source source;
};

/// A `MeasuredCollective` is a curve of this number of ranks, a fit over other numbers of nodes with as many ranks
/// each, or where neither is known NCCL's structure as fitted to other systems (costs/nccl_structure.hpp).
struct MeasuredCollective {
  std::variant<CollectiveCurve, RankScaling, NcclCollective> known;
  int ranks = 1;
  Statement how;  // "measured (mpi, 2 x 1 ranks, 2026-11-21)", "by NCCL's structure (nccl, ..., 3 sizes measured)"

  Seconds time(Bytes payload) const;
  const Source& source() const;
  /// Returns one sigma of the log of the time: from what the fit missed of the samples held back (of those fitted to
  /// where none were), or from bootstrap replicas where those lie further apart.
  double log_spread(Bytes payload) const;
  /// Tells whether the time follows a curve whose course is that of other systems, or those systems alone.
  bool completed() const;
  /// Tells whether anything of it was measured on the system itself.
  bool measured_here() const { return !std::holds_alternative<NcclCollective>(known); }
};

/// MeasuredCollectives hold what profiles know of one system, the nearest first. A curve belongs to a system where its
/// machine (or, where it names none, its profile's machine or accelerator) has the name of the system's machine, and
/// the buffers lie where the accelerators' gradients do. A machine file of one's own has no name that a profile would
/// know: there a curve without a machine belongs to the accelerators of its profile, as kernels do.
/// Where no profile knows it, NCCL's all-reduce, reduce-scatter and all-gather on NVIDIA's GPUs in equal nodes follows
/// NCCL's structure, unless the machine's file has figures of its own of NCCL between nodes or a profile has its
/// messages between them.
class MeasuredCollectives {
 public:
  MeasuredCollectives() = default;
  MeasuredCollectives(const Cluster& cluster, const ProfileRefs& profiles);

  /// Returns the collective of all ranks of the system, with elements of `element` bytes: by the nearest of the curves
  /// for as many nodes and ranks, else by fits over numbers of nodes, for NCCL then by elements of other sizes, else by
  /// NCCL's structure. Null where there is none.
  std::shared_ptr<const MeasuredCollective> of(CollectiveKind kind, const std::string& library, Bytes element) const;
  /// Returns the curve of messages between two nodes, one way; null where there is none.
  const CollectiveCurve* point_to_point(const std::string& library, Bytes element) const;
  /// Lists the libraries of which a curve or fit is known here, each once.
  std::vector<std::string> libraries() const;

 private:
  int nodes_ = 1, ranks_ = 1;
  std::optional<NcclSystem> nccl_;                              // where NCCL's structure says what its collectives take
  std::vector<std::shared_ptr<const CollectiveCurve>> curves_;  // of any number of nodes
  std::vector<std::shared_ptr<const RankScaling>> scalings_;
};

}  // namespace mlsim::sim
