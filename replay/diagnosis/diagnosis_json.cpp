#include "core/text/json_schema_writer.hpp"
#include "replay/diagnosis/diagnosis.hpp"

namespace mlsim::replay {

template <class Io>
void describe(Io& io, const Cause& cause) {
  io.word("cause", cause.kind);
  io.field("where", cause.where);
  io.word("seen_in", cause.seen);
  io.field("times_as_long", if_finite(cause.times_as_long));
  io.field("noise", if_finite(cause.noise));
  io.field("likelihood", cause.likelihood, kShare);
  io.field("saving", cause.saving);
  io.field("evidence", cause_sentence(cause));
}

template <class Io>
void describe(Io& io, const Arrival& arrival) {
  io.field("where", arrival.where);
  io.field("times", arrival.times);
  io.field("meetings", arrival.meetings);
  io.field("waited_s", arrival.waited, kNotNegative);
}

template <class Io>
void describe(Io& io, const Diagnosis& diagnosis) {
  io.field("subject", diagnosis.subject);
  io.field("found", diagnosis.found());
  io.field("causes", diagnosis.causes);
  io.field("nothing", diagnosis.nothing, kShare);
  io.field("besides", diagnosis.besides);
  io.field("test", diagnosis.tell_apart);
  io.field_if_any("last_to_arrive", if_any(diagnosis.last_to_arrive));
  io.field("notes", diagnosis.notes);
}

std::string to_json(const Diagnosis& diagnosis) { return JsonWriter::text("diagnosis", diagnosis); }

}  // namespace mlsim::replay

template std::string mlsim::json_schema<mlsim::replay::Diagnosis>();
