#include "replay/trace/rank_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "core/process/activity.hpp"
#include "core/text/errors.hpp"
#include "replay/trace/gathered_events.hpp"
#include "replay/trace/launched_steps.hpp"
#include "replay/trace/nsys_table.hpp"
#include "replay/trace/trace_reader.hpp"

namespace mlsim::replay {
namespace {

std::vector<RecordedStep> steps_of(const GatheredEvents& all, const std::string& path) {
  std::vector<RecordedStep> steps;
  for (const TraceEvent& e : all.steps()) {
    std::int64_t number = 0;
    const std::string digits = e.name.substr(std::string_view("ProfilerStep#").size());
    if (!digits.empty() && std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }))
      number = std::stoll(digits.substr(0, 18));
    steps.push_back({number, microseconds(e.begin_us), microseconds(e.duration_us), Seconds(0)});
  }
  std::sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    if (steps[i + 1].number == steps[i].number)
      throw InputError(path,
                       fmt::format("step {} stands twice: are these several ranks in one file?", steps[i].number));
    if (steps[i + 1].begin < steps[i].begin)
      throw InputError(path, fmt::format("step {} begins before step {}: the clock goes backwards", steps[i + 1].number,
                                         steps[i].number));
    steps[i].window = steps[i + 1].begin - steps[i].begin;
  }
  return steps;
}

RecordedSpan span_of(const GatheredEvents& all, const GatheredWork& work, std::size_t step) {
  const HostLaunch* launch = all.launch_of(work);
  RecordedSpan span;
  span.begin = microseconds(work.begin_us);
  if (launch != nullptr) {
    span.launch = microseconds(launch->begin_us);
    span.call = microseconds(launch->duration_us);
  }
  span.kind = work.kind;
  span.stream = work.stream;
  span.name = work.name;
  span.duration = microseconds(work.duration_us);
  span.step = step;
  const TraceEvent* operation = launch != nullptr ? all.operation_of(*launch) : nullptr;
  TraceEvent kernel;
  kernel.name = all.names()[work.name];
  if (work.kind == RecordedKind::collective)
    kernel = all.communication(work);
  else if (work.kind != RecordedKind::compute || operation == nullptr || !exchanges(*operation, kernel.name))
    return span;
  span.kind = RecordedKind::collective;
  span.collective = recorded_collective(kernel, launch != nullptr ? all.annotation_of(*launch) : nullptr, operation);
  return span;
}

void add_spans(RankTrace& trace, const GatheredEvents& all) {
  for (const GatheredWork& work : all.work())
    if (work.duration_us < 0)
      throw InputError(trace.file, fmt::format("\"{}\" ends before it begins", all.names()[work.name].substr(0, 60)));
  const LaunchedSteps launched = launched_steps(trace.steps, all);
  for (std::size_t w = 0; w < all.work().size(); ++w)
    if (const auto step = launched.step_of[w]) trace.spans.push_back(span_of(all, all.work()[w], *step));
  if (launched.left_over > 0)
    trace.warnings.push_back(fmt::format(
        "{} kernels and copies are left from before the recording: the file has no launch of them, and they "
        "count for no step",
        launched.left_over));
  std::sort(trace.spans.begin(), trace.spans.end(),
            [](const auto& a, const auto& b) { return std::pair(a.begin, a.stream) < std::pair(b.begin, b.stream); });
  trace.names = all.names();
}

void warn_without_exchanges(RankTrace& trace) {
  const int ranks = trace.world_size.value_or(1);
  if (ranks < 2 || std::any_of(trace.spans.begin(), trace.spans.end(), [](const auto& s) { return s.collective; }))
    return;
  trace.warnings.push_back(fmt::format(
      "0 exchanges of a job of {} ranks: either they were not recorded, or they count as compute here", ranks));
}

// Names the first of the ranks that have no file.
std::string absent_ranks(const std::map<int, std::string>& files, int world) {
  std::string text;
  int shown = 0;
  for (int rank = 0; rank < world; ++rank) {
    if (files.contains(rank)) continue;
    if (++shown > 8) return text + ", ...";
    text += (text.empty() ? "" : ", ") + std::to_string(rank);
  }
  return text;
}

using FilesOfRanks = std::map<int, std::string>;

// Several files have to be ranks of one job, each once.
FilesOfRanks files_of_ranks(const std::vector<RankTrace>& traces) {
  FilesOfRanks files;
  const std::optional<int> world = traces.front().world_size;
  for (const RankTrace& trace : traces) {
    if (!trace.rank) throw InputError(trace.file, "does not say its rank, nor does its name (worker3_, rank-3.)");
    if (const auto [other, fresh] = files.emplace(*trace.rank, trace.file); !fresh)
      throw InputError(trace.file, fmt::format("is of rank {}, as {} is", *trace.rank, other->second));
    if (world && trace.world_size && *trace.world_size != *world)
      throw InputError(trace.file, fmt::format("is of a job of {} ranks, {} of one of {}", *trace.world_size,
                                               traces.front().file, *world));
    if (*trace.rank < 0 || *trace.rank >= trace.world_size.value_or(*trace.rank + 1))
      throw InputError(trace.file, fmt::format("is of rank {} in a job of {}", *trace.rank, *trace.world_size));
  }
  return files;
}

// A few ranks say what they did, but not when the others came.
void warn_of_absent_ranks(std::vector<RankTrace>& traces) {
  const FilesOfRanks files = files_of_ranks(traces);
  const int world = traces.front().world_size.value_or(static_cast<int>(files.size()));
  const int missing = world - static_cast<int>(files.size());
  if (missing <= 0) return;
  for (RankTrace& trace : traces)
    trace.warnings.push_back(fmt::format(
        "of a job of {} ranks {} {} not recorded ({}): what collectives waited for them counts as their time", world,
        missing, missing == 1 ? "is" : "are", absent_ranks(files, world)));
}

}  // namespace

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

RankTrace load_rank_trace(const std::string& path) {
  GatheredEvents all;
  const auto read = is_sqlite(path) ? read_nsys : read_trace;
  const TraceHeader header = read(path, [&](const TraceEvent& e) { all.add(e); });
  if (all.work().empty())
    throw InputError(path, "has nothing of an accelerator: was the profiler told to record CUDA's activities?");
  all.sort();
  RankTrace trace;
  trace.file = path;
  trace.rank = header.rank ? header.rank : rank_of_name(path);
  trace.world_size = header.world_size;
  trace.device = header.device;
  trace.steps = steps_of(all, path);
  if (trace.steps.empty()) {
    trace.steps.push_back(all.whole());
    trace.warnings.push_back("no ProfilerStep is in the file: all of it is taken for one step");
  }
  add_spans(trace, all);
  warn_without_exchanges(trace);
  return trace;
}

std::vector<RankTrace> load_traces(const std::vector<std::string>& paths) {
  std::vector<RankTrace> traces;
  Activity activity("reading traces", paths.size());
  for (const std::string& path : paths) {
    traces.push_back(load_rank_trace(path));
    activity.advance();
  }
  if (traces.size() > 1) warn_of_absent_ranks(traces);
  std::sort(traces.begin(), traces.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  return traces;
}

}  // namespace mlsim::replay
