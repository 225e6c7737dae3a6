#include "replay/trace/rank_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/errors.hpp"
#include "replay/trace/recorded_collective.hpp"
#include "replay/trace/trace_reader.hpp"

namespace mlsim::replay {
namespace {

constexpr double kMicro = 1e-6;

struct Launch {
  double begin_us = 0;
  std::int64_t thread = 0;
};

// What a file gave, before launches, steps and annotations are brought together.
struct Gathered {
  std::vector<TraceEvent> kernels;  // of the accelerator, copies too
  std::unordered_map<std::int64_t, Launch> launches;
  std::map<std::int64_t, std::vector<TraceEvent>> around;  // by thread: annotations and operators of collectives
  std::vector<TraceEvent> steps;
};

bool is_host_step(const TraceEvent& e) {
  return e.name.starts_with("ProfilerStep#") && e.category != "gpu_user_annotation";
}

// Categories of 2021 are capitalised: "Kernel", "Memcpy".
RecordedKind kind_of(const TraceEvent& e) {
  std::string category = e.category;
  for (char& c : category) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (category == "gpu_memcpy" || category == "memcpy") return RecordedKind::copy;
  if (category == "gpu_memset" || category == "memset") return RecordedKind::fill;
  return RecordedKind::compute;
}

void gather(Gathered& all, const TraceEvent& e) {
  const std::string& c = e.category;
  if (c == "kernel" || c == "Kernel" || c == "gpu_memcpy" || c == "Memcpy" || c == "gpu_memset" || c == "Memset") {
    all.kernels.push_back(e);
  } else if (c == "cuda_runtime" || c == "cuda_driver" || c == "Runtime") {
    if (e.correlation) all.launches[*e.correlation] = {e.begin_us, e.thread};
  } else if (is_host_step(e)) {
    all.steps.push_back(e);
  } else if (e.name.starts_with("nccl:") || e.name.starts_with("c10d::")) {
    all.around[e.thread].push_back(e);
  }
}

// The innermost of this prefix that spans the moment.
const TraceEvent* around(const std::vector<TraceEvent>& events, double moment_us, std::string_view prefix) {
  const TraceEvent* found = nullptr;
  auto at = std::upper_bound(events.begin(), events.end(), moment_us,
                             [](double moment, const TraceEvent& e) { return moment < e.begin_us; });
  constexpr int kDeepest = 16;  // annotations of one thread nest, and few deep
  for (int i = 0; i < kDeepest && at != events.begin(); ++i) {
    --at;
    if (moment_us <= at->begin_us + at->duration_us && at->name.starts_with(prefix)) {
      found = &*at;
      break;
    }
  }
  return found;
}

std::vector<RecordedStep> steps_of(const Gathered& all, const std::string& path) {
  std::vector<RecordedStep> steps;
  for (const TraceEvent& e : all.steps) {
    std::int64_t number = 0;
    const std::string digits = e.name.substr(std::string_view("ProfilerStep#").size());
    if (!digits.empty() && std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }))
      number = std::stoll(digits.substr(0, 18));
    steps.push_back({number, Seconds(e.begin_us * kMicro), Seconds(e.duration_us * kMicro)});
  }
  std::sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    if (steps[i + 1].number == steps[i].number)
      throw InputError(path,
                       fmt::format("step {} stands twice: are these several ranks in one file?", steps[i].number));
    if (steps[i + 1].begin < steps[i].begin)
      throw InputError(path, fmt::format("step {} begins before step {}: the clock goes backwards", steps[i + 1].number,
                                         steps[i].number));
    steps[i].time = steps[i + 1].begin - steps[i].begin;
  }
  return steps;
}

// "worker3_..." and "rank-3.pt.trace.json" are rank 3.
std::optional<int> rank_of_name(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  for (const std::string word : {"worker", "rank"}) {
    std::size_t at = name.find(word);
    if (at == std::string::npos) continue;
    at += word.size();
    if (at < name.size() && (name[at] == '-' || name[at] == '_')) ++at;
    std::size_t end = at;
    while (end < name.size() && end - at < 7 && name[end] >= '0' && name[end] <= '9') ++end;
    if (end > at) return std::stoi(name.substr(at, end - at));
  }
  return {};
}

class SpanBuilder {
 public:
  SpanBuilder(RankTrace& trace, const Gathered& all) : trace_(trace), all_(all) {}

  void add(const TraceEvent& e) {
    if (e.duration_us < 0)
      throw InputError(trace_.file, fmt::format("\"{}\" ends before it begins", e.name.substr(0, 60)));
    const auto launch = e.correlation ? all_.launches.find(*e.correlation) : all_.launches.end();
    const bool launched = launch != all_.launches.end();
    RecordedSpan span;
    span.kind = kind_of(e);
    span.stream = e.stream.value_or(e.thread);
    span.begin = Seconds(e.begin_us * kMicro);
    span.duration = Seconds(e.duration_us * kMicro);
    if (launched) span.launch = Seconds(launch->second.begin_us * kMicro);
    const auto step = step_at(span.launch.value_or(span.begin));
    if (!step) return;
    span.step = *step;
    span.name = index_of(e.name);
    if (span.kind == RecordedKind::compute && (!e.collective.empty() || is_communication(e.name))) {
      span.kind = RecordedKind::collective;
      span.collective = collective(e, launched ? &launch->second : nullptr);
    }
    trace_.spans.push_back(std::move(span));
  }

 private:
  RecordedCollective collective(const TraceEvent& e, const Launch* launch) const {
    if (launch == nullptr) return recorded_collective(e, nullptr, nullptr);
    const auto of_thread = all_.around.find(launch->thread);
    if (of_thread == all_.around.end()) return recorded_collective(e, nullptr, nullptr);
    return recorded_collective(e, around(of_thread->second, launch->begin_us, "nccl:"),
                               around(of_thread->second, launch->begin_us, "c10d::"));
  }

  // The last step that began by then; before the first, none. Behind the last one's window nothing is left to it but
  // what its own host asked for.
  std::optional<std::size_t> step_at(Seconds moment) const {
    const auto& steps = trace_.steps;
    const auto after = std::upper_bound(steps.begin(), steps.end(), moment,
                                        [](Seconds m, const RecordedStep& s) { return m < s.begin; });
    if (after == steps.begin()) return {};
    const std::size_t step = static_cast<std::size_t>(after - steps.begin()) - 1;
    if (step + 1 == steps.size() && moment > steps[step].begin + steps[step].time) return {};
    return step;
  }

  std::size_t index_of(const std::string& name) {
    const auto [entry, fresh] = known_.try_emplace(name, trace_.names.size());
    if (fresh) trace_.names.push_back(name);
    return entry->second;
  }

  RankTrace& trace_;
  const Gathered& all_;
  std::unordered_map<std::string, std::size_t> known_;
};

// A file without steps is one, from its first span to its last.
RecordedStep whole_file(const Gathered& all) {
  double begin = all.kernels.front().begin_us, end = begin;
  for (const TraceEvent& e : all.kernels) {
    begin = std::min(begin, e.begin_us);
    end = std::max(end, e.begin_us + e.duration_us);
  }
  for (const auto& [correlation, launch] : all.launches) begin = std::min(begin, launch.begin_us);
  return {0, Seconds(begin * kMicro), Seconds((end - begin) * kMicro)};
}

std::string listed(const std::set<int>& ranks) {
  std::string text;
  int shown = 0;
  for (const int rank : ranks) {
    if (++shown > 8) return text + ", ...";
    text += (text.empty() ? "" : ", ") + std::to_string(rank);
  }
  return text;
}

// Several files are to be a job's ranks, each once.
void check_ranks(const std::vector<RankTrace>& traces) {
  std::map<int, std::string> files;
  const int world = traces.front().world_size.value_or(static_cast<int>(traces.size()));
  for (const RankTrace& trace : traces) {
    if (!trace.rank) throw InputError(trace.file, "does not say its rank, nor does its name (worker3_, rank-3.)");
    if (const auto [other, fresh] = files.emplace(*trace.rank, trace.file); !fresh)
      throw InputError(trace.file, fmt::format("is of rank {}, as {} is", *trace.rank, other->second));
    if (trace.world_size.value_or(world) != world)
      throw InputError(trace.file, fmt::format("is of a job of {} ranks, {} of one of {}", *trace.world_size,
                                               traces.front().file, world));
    if (*trace.rank >= world)
      throw InputError(trace.file, fmt::format("is of rank {} in a job of {}", *trace.rank, world));
  }
  std::set<int> missing;
  for (int rank = 0; rank < world; ++rank)
    if (!files.contains(rank)) missing.insert(rank);
  if (!missing.empty())
    throw InputError(fmt::format("of a job of {} ranks {} {} missing: {}; give all of them, or one alone", world,
                                 missing.size(), missing.size() == 1 ? "is" : "are", listed(missing)));
}

}  // namespace

const Words<RecordedKind>& words(RecordedKind) {
  static const Words<RecordedKind> table{"kind of span", {"compute", "copy", "fill", "collective"}};
  return table;
}

RankTrace load_rank_trace(const std::string& path) {
  Gathered all;
  const TraceHeader header = read_trace(path, [&](const TraceEvent& e) { gather(all, e); });
  if (all.kernels.empty())
    throw InputError(path, "has nothing of an accelerator: was the profiler told to record CUDA's activities?");
  RankTrace trace;
  trace.file = path;
  trace.rank = header.rank ? header.rank : rank_of_name(path);
  trace.world_size = header.world_size;
  trace.device = header.device;
  trace.clock = Seconds(header.first_begin_us * kMicro);
  trace.steps = steps_of(all, path);
  if (trace.steps.empty()) {
    trace.steps.push_back(whole_file(all));
    trace.warnings.push_back("no ProfilerStep is in the file: all of it is taken for one step");
  }
  for (auto& [thread, events] : all.around)
    std::sort(events.begin(), events.end(), [](const auto& a, const auto& b) { return a.begin_us < b.begin_us; });
  SpanBuilder builder(trace, all);
  for (const TraceEvent& e : all.kernels) builder.add(e);
  std::sort(trace.spans.begin(), trace.spans.end(),
            [](const auto& a, const auto& b) { return std::pair(a.begin, a.stream) < std::pair(b.begin, b.stream); });
  return trace;
}

std::vector<RankTrace> load_traces(const std::vector<std::string>& paths) {
  std::vector<RankTrace> traces;
  for (const std::string& path : paths) traces.push_back(load_rank_trace(path));
  if (traces.size() > 1) check_ranks(traces);
  std::sort(traces.begin(), traces.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  return traces;
}

}  // namespace mlsim::replay
