#include "calibrate/collectives/collective_subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::calibrate {
namespace {

const std::vector<std::string>& measured_kind_names() {
  static const std::vector<std::string> names{"all-reduce", "reduce-scatter", "all-gather", "broadcast", "all-to-all"};
  return names;
}

std::string one_of(const char* what, const std::string& word, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), word) == known.end()) throw InputError(unknown_word(what, word, known));
  return word;
}

Bytes payload(const std::string& word) {
  const double bytes = parse_number(word);
  // 2^53 is the largest whole number of which a double holds every smaller one.
  if (bytes < 1 || bytes > 0x1p53 || bytes != static_cast<double>(static_cast<long long>(bytes)))
    throw InputError("a payload of \"" + word + "\" bytes is no positive whole number");
  return Bytes(bytes);
}

bool has_parts(CollectiveKind kind) {
  return kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::all_gather ||
         kind == CollectiveKind::all_to_all;
}

}  // namespace

CollectiveSubject parse_collective_subject(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  const std::string first = one_of("subject", words.empty() ? "" : words.front(), {"collective", "point-to-point"});
  const bool collective = first == "collective";
  if (words.size() != (collective ? 6u : 5u)) {
    throw InputError("\"" + text + "\" is not \"" + first + (collective ? " KIND" : "") +
                     " LIBRARY DEVICE PRECISION BYTES\"");
  }
  CollectiveSubject subject;
  auto word = words.begin() + 1;
  subject.kind = collective ? parse<CollectiveKind>(one_of("collective", *word++, measured_kind_names()))
                            : CollectiveKind::send_receive;
  subject.communicator = one_of("library", *word++, {"mpi", "gloo", "nccl"});
  subject.device = one_of("device", *word++, {"cpu", "cuda"});
  subject.precision = parse<Precision>(one_of("precision of a collective", *word++, {"fp32", "fp16"}));
  subject.payload = payload(*word);
  return subject;
}

std::string to_text(const CollectiveSubject& subject) {
  const bool collective = subject.kind != CollectiveKind::send_receive;
  return fmt::format("{} {} {} {} {:.0f}",
                     collective ? fmt::format("collective {}", name(subject.kind)) : std::string("point-to-point"),
                     subject.communicator, subject.device, name(subject.precision), subject.payload.value);
}

std::size_t element_count(const CollectiveSubject& subject, int ranks) {
  const auto elements = static_cast<std::size_t>(subject.payload / element_size(subject.precision));
  const auto parts = has_parts(subject.kind) ? static_cast<std::size_t>(ranks) : 1;
  const std::size_t count = elements / parts * parts;
  if (count == 0) {
    throw Unavailable(fmt::format("{:.0f} bytes are less than one element of {} for each part of {} on {} ranks",
                                  subject.payload.value, name(subject.precision), name(subject.kind), ranks));
  }
  return count;
}

std::size_t sent_elements(CollectiveKind kind, std::size_t count, int ranks) {
  return kind == CollectiveKind::all_gather ? count / static_cast<std::size_t>(ranks) : count;
}

std::size_t received_elements(CollectiveKind kind, std::size_t count, int ranks) {
  return kind == CollectiveKind::reduce_scatter ? count / static_cast<std::size_t>(ranks) : count;
}

}  // namespace mlsim::calibrate
