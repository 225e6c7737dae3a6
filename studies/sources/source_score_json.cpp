#include "core/text/json_schema_writer.hpp"
#include "studies/sources/source_score.hpp"

namespace mlsim::studies {

template <class Io>
void describe(Io& io, const SourceScore& score) {
  io.field("says", score.what.says);
  io.field("kind", score.what.kind);
  io.field("anchor", score.what.anchor);
  io.field("asks", score.what.asks);
  io.field("figure", score.what.figure);
  io.field("published", score.what.published);
  io.field("comes", score.comes);
  io.field("relative_error", score.error());
  io.field("verdict", score.verdict());
  io.field("refusal", score.refusal);
  io.field("citation", score.what.citation);
}

template <class Io>
void describe(Io& io, const ItemScore& item) {
  io.field("item", item.item);
  io.field("document", item.document);
  io.field("way", item.way);
  io.field("verdict", item.verdict());
  io.field("figures", item.figures);
}

std::string to_json(const std::vector<ItemScore>& items) { return JsonWriter::text("items", items); }

}  // namespace mlsim::studies

template std::string mlsim::json_schema<std::vector<mlsim::studies::ItemScore>>();
