#include "workloads/lowering/parallelism.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include "core/text/errors.hpp"
#include "core/text/split.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::workloads {
namespace {

constexpr auto kPlace = "--parallelism";
constexpr int kMostRanks = 1 << 24;

Axis axis_at(std::size_t i) { return static_cast<Axis>(i); }

// The product does not overflow, whatever was asked.
std::int64_t product_of(const Parallelism& parallelism) {
  std::int64_t product = 1;
  for (const int size : parallelism.sizes) product = std::min<std::int64_t>(product * size, std::int64_t{1} << 40);
  return product;
}

// Returns the size nearest to `wanted` that divides `whole`; of two equally near ones the larger.
int nearest_divisor(int wanted, int whole) {
  int best = 1;
  for (int d = 1; d <= whole; ++d) {
    if (whole % d == 0 && std::abs(d - wanted) <= std::abs(best - wanted)) best = d;
  }
  return best;
}

// Shortens or lengthens one axis, where data is given, by the least factor so that all together cover the ranks; where
// that does not help, each axis but data goes in turn to the nearest divisor of what is left, and data takes the rest.
Parallelism nearest_that_fits(const Parallelism& wanted, int ranks, bool data_given) {
  std::optional<Parallelism> best;
  double least = 0;
  for (std::size_t i = 0; data_given && i < kAxes; ++i) {
    const std::int64_t others = product_of(wanted) / wanted.sizes[i];
    if ((wanted.sizes[i] == 1 && axis_at(i) != Axis::data) || others > ranks || ranks % others != 0) continue;
    const int size = static_cast<int>(ranks / others);
    const double change = std::abs(std::log2(double(size) / wanted.sizes[i]));
    if (best && change >= least) continue;
    best = wanted;
    best->sizes[i] = size;
    least = change;
  }
  if (best) return *best;
  Parallelism fits;
  int left = ranks;
  for (std::size_t i = 0; i < kAxes; ++i) {
    if (axis_at(i) == Axis::data) continue;
    fits.sizes[i] = nearest_divisor(wanted.sizes[i], left);
    left /= fits.sizes[i];
  }
  fits[Axis::data] = left;
  return fits;
}

}  // namespace

std::string to_text(AxisSet set) {
  std::string text;
  for (std::size_t i = 0; i < kAxes; ++i) {
    if (set.has(axis_at(i))) text += (text.empty() ? "" : "+") + names<Axis>()[i];
  }
  return text.empty() ? "none" : text;
}

int Parallelism::size_of(AxisSet set) const {
  int product = 1;
  for (std::size_t i = 0; i < kAxes; ++i) product *= set.has(axis_at(i)) ? sizes[i] : 1;
  return product;
}

int Parallelism::ranks() const { return size_of(kGradientAxes | Axis::tensor | Axis::pipeline); }

AxisSet Parallelism::used(AxisSet set) const {
  AxisSet result;
  for (std::size_t i = 0; i < kAxes; ++i) {
    if (sizes[i] > 1 && set.has(axis_at(i))) result = result | axis_at(i);
  }
  return result;
}

namespace {

// Writes the axes longer than 1, and those of `besides`; rows and columns as one word, "spatial=2x2", and replicas as
// the data ranks that they are.
std::string axes_text(const Parallelism& parallelism, const std::string& separator,
                      const std::set<std::string>& besides = {}) {
  std::string text;
  for (std::size_t i = 0; i < kAxes; ++i) {
    const Axis axis = axis_at(i);
    const int columns = axis == Axis::spatial ? parallelism[Axis::columns] : 1;
    const int size = parallelism[axis] * (axis == Axis::data ? parallelism[Axis::replica] : 1);
    const bool shown = size > 1 || columns > 1 || besides.contains(names<Axis>()[i]);
    if (!shown || axis == Axis::columns || axis == Axis::replica) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : separator, name(axis), size);
    if (columns > 1) text += fmt::format("x{}", columns);
  }
  return text;
}

}  // namespace

std::string to_text(const Parallelism& parallelism) {
  const std::string text = axes_text(parallelism, ", ");
  return text.empty() ? "data=1" : text;
}

Parallelism data_parallel(int ranks) {
  Parallelism parallelism;
  parallelism[Axis::data] = ranks;
  return parallelism;
}

namespace {

struct GivenAxes {
  ParallelismRequest request;
  std::set<std::string> seen;  // words
};

int axis_size(const std::string& word, const std::string& text) {
  int size = 0;
  try {
    size = parse_count(text);
  } catch (const InputError& e) {
    throw InputError(kPlace, e.reason());
  }
  if (size > kMostRanks) throw InputError(kPlace, fmt::format("{} is at most {}, not {}", word, kMostRanks, size));
  return size;
}

// Returns what a request's word sets; null for a word that no request has.
int* member_of(ParallelismRequest& request, const std::string& word) {
  static const std::map<std::string, int ParallelismRequest::*> counts{
      {"micro_batches", &ParallelismRequest::micro_batches},
      {"micro_batch", &ParallelismRequest::micro_batch},
      {"interleave", &ParallelismRequest::interleave},
      {"expert_tensor", &ParallelismRequest::expert_tensor}};
  if (const auto count = counts.find(word); count != counts.end()) return &(request.*count->second);
  return &request.parallelism[parse<Axis>(word)];
}

// Finds a word by its name or alias; null where there is none.
const ParallelismWord* find_word(const std::string& word) {
  const auto& known = parallelism_words();
  const auto found = std::find_if(known.begin(), known.end(), [&](const ParallelismWord& each) {
    return each.name == word || (!each.alias.empty() && each.alias == word);
  });
  return found == known.end() ? nullptr : &*found;
}

// Reads "pipeline=8" or "spatial=2x2" into the axes given.
void take_item(const std::string& item, GivenAxes& given) {
  const auto equals = item.find('=');
  if (equals == std::string::npos)
    throw InputError(kPlace, fmt::format("\"{}\" is not of the form axis=ranks, nor auto", item.substr(0, 80)));
  const ParallelismWord* const found = find_word(item.substr(0, equals));
  if (found == nullptr) {
    std::vector<std::string> known;
    for (const ParallelismWord& each : parallelism_words()) known.push_back(each.name);
    throw InputError(kPlace, unknown_word("axis", item.substr(0, equals), known));
  }
  const std::string& word = found->name;
  if (!given.seen.insert(word).second) throw InputError(kPlace, fmt::format("\"{}\" is given twice", word));
  std::string text = item.substr(equals + 1);
  if (const auto by = text.find('x'); word == name(Axis::spatial) && by != std::string::npos) {
    given.request.parallelism[Axis::columns] = axis_size(word, text.substr(by + 1));
    text.resize(by);
  }
  *member_of(given.request, word) = axis_size(word, text);
}

GivenAxes given_axes(std::string_view text) {
  GivenAxes given;
  if (text.empty() || text == kAutomaticParallelism) return given;
  for (const std::string& item : split(std::string(text), ',')) take_item(item, given);
  if (given.request.micro_batch > 0 && given.request.micro_batches > 0)
    throw InputError(kPlace, fmt::format("micro_batch={} is the samples and micro_batches={} the number of "
                                         "micro-batches: one of them says the other",
                                         given.request.micro_batch, given.request.micro_batches));
  return given;
}

}  // namespace

const std::vector<ParallelismWord>& parallelism_words() {
  static const std::vector<ParallelismWord> table{
      {"data", "dp", "ranks that share the batch; what the other axes leave"},
      {"normalization", "", "ranks that share the batch and take its mean and variance together"},
      {"spatial", "", "ranks that share each image: 4, or 2x2, rows and columns"},
      {"expert", "ep", "ranks that share the experts of a mixture, and the batch"},
      {"embedding", "", "ranks that share embedding tables, and the batch"},
      {"tensor", "tp", "ranks that share the matrices of each layer"},
      {"pipeline", "pp", "stages of consecutive layers"},
      {"context", "cp", "ranks that share the tokens of each sample"},
      {"micro_batches", "", "micro-batches of a step"},
      {"micro_batch", "mbs", "samples of a micro-batch"},
      {"interleave", "vpp", "chunks of layers on each stage"},
      {"expert_tensor", "etp", "ranks that share the matrices of each expert"}};
  return table;
}

bool is_parallelism_word(const std::string& word) { return find_word(word) != nullptr; }

void check_parallelism(std::string_view text) { given_axes(text); }

namespace {

// Counts the ranks that share the experts of a mixture, as a request does.
Parallelism with_all_experts(Parallelism axes, bool whole_experts) {
  if (whole_experts) axes[Axis::expert] *= axes[Axis::tensor];
  return axes;
}

void take_tensor_from_experts(ParallelismRequest& request) {
  int& experts = request.parallelism[Axis::expert];
  const int tensor = request.parallelism[Axis::tensor];
  if (!request.whole_experts()) return;
  if (experts == 1)
    throw Infeasible(
        fmt::format("expert_tensor=1: experts stay whole, but no ranks share them out; expert={} shares "
                    "them out among the tensor ranks",
                    tensor));
  if (experts % tensor != 0)
    throw Infeasible(fmt::format("expert={} with whole experts on {} tensor ranks does not divide; expert={} does",
                                 experts, tensor, std::max(1, experts / tensor) * tensor));
  experts /= tensor;
}

}  // namespace

std::string to_text(Parallelism parallelism, bool whole_experts) {
  return to_text(with_all_experts(parallelism, whole_experts)) + (whole_experts ? ", expert_tensor=1" : "");
}

ParallelismRequest parse_parallelism(std::string_view text, int ranks) {
  auto [request, seen] = given_axes(text);
  take_tensor_from_experts(request);
  const bool whole = request.whole_experts();
  Parallelism& axes = request.parallelism;
  const bool data_given = seen.contains("data");
  const std::int64_t product = product_of(axes);
  if (!data_given && product <= ranks && ranks % product == 0) {
    axes[Axis::data] = static_cast<int>(ranks / product);
    return request;
  }
  if (product != ranks) {
    // Both are in the words of the question.
    const std::string given = axes_text(with_all_experts(axes, whole), ",", seen);
    const std::string fits = axes_text(with_all_experts(nearest_that_fits(axes, ranks, data_given), whole), ",", seen);
    throw Infeasible(fmt::format("{} does not cover the {} accelerators; {} does", given, ranks, fits));
  }
  return request;
}

}  // namespace mlsim::workloads
