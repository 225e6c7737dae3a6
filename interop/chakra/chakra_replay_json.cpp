#include "core/text/json_schema_writer.hpp"
#include "interop/chakra/chakra_replay.hpp"

namespace mlsim::interop {
namespace {

struct RankEnd {
  std::size_t rank = 0;
  Seconds end{}, kernels{};
};

template <class Io>
void describe(Io& io, const RankEnd& rank) {
  io.field("rank", rank.rank);
  io.field("end_s", rank.end, kNotNegative);
  io.field("kernels_s", rank.kernels, kNotNegative);
}

struct NamedWay {
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::vector<std::vector<int>> groups{};
  std::size_t count = 0;
  Bytes payload{};
  std::string how{};
};

template <class Io>
void describe(Io& io, const NamedWay& way) {
  io.word("kind", way.kind);
  io.field("groups", way.groups);
  io.field("count", way.count);
  io.field("payload_bytes", way.payload, kNotNegative);
  io.field("how", way.how);
}

}  // namespace

template <class Io>
void describe(Io& io, const ChakraReplay& replay) {
  std::vector<RankEnd> ranks;
  for (std::size_t i = 0; i < replay.step.ends.size(); ++i)
    ranks.push_back({i, replay.step.ends[i], replay.step.busy[i]});
  std::vector<NamedWay> exchanges;
  for (const ExchangeWay& way : replay.ways.all)
    exchanges.push_back({way.kind, way.groups, way.count, way.total, way.plan.name()});
  io.field("topology", replay.cluster);
  io.word("links", replay.links);
  io.field("step_time_s", replay.step.time, kNotNegative);
  io.field("ranks", ranks);
  io.field("exchanges", exchanges);
  io.field("warnings", replay.run.warnings);
}

std::string to_json(const ChakraReplay& replay) { return JsonWriter::text("step", replay); }

}  // namespace mlsim::interop

template std::string mlsim::json_schema<mlsim::interop::ChakraReplay>();
