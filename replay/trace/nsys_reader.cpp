#include "replay/trace/trace_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/text/errors.hpp"
#include "replay/trace/nsys_table.hpp"

namespace mlsim::replay {
namespace {

// An NvtxRange belongs to one thread; its times are in ns as the file has them.
struct NvtxRange {
  std::string text;
  std::int64_t thread = 0, begin = 0, end = 0;
};

std::size_t digits_at_end(const std::string& text) {
  std::size_t count = 0;
  while (count < text.size() && text[text.size() - 1 - count] >= '0' && text[text.size() - 1 - count] <= '9') ++count;
  return count;
}

bool follow_one_another(const std::vector<NvtxRange>& ranges) {
  for (std::size_t i = 0; i + 1 < ranges.size(); ++i)
    if (ranges[i + 1].begin < ranges[i].end) return false;
  return true;
}

// Returns 12 for "step 12"; -1 where there is no number at the end.
std::int64_t trailing_number(const std::string& text) {
  constexpr std::size_t kMost = 18;  // digits that fit
  const std::size_t count = digits_at_end(text);
  if (count == 0 || count > kMost) return -1;
  return std::stoll(text.substr(text.size() - count));
}

// Returns the ranges of one name and thread, but for a number at the name's end, that follow one another at least
// twice and cover the most time, in their order; nothing where none repeats.
std::vector<NvtxRange> repeated_ranges(const std::vector<NvtxRange>& ranges) {
  std::map<std::pair<std::int64_t, std::string>, std::vector<NvtxRange>> by_name;
  for (const NvtxRange& range : ranges)
    by_name[{range.thread, range.text.substr(0, range.text.size() - digits_at_end(range.text))}].push_back(range);
  std::vector<NvtxRange> best;
  std::int64_t most = 0;
  for (auto& [name, all] : by_name) {
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    if (all.size() < 2 || !follow_one_another(all)) continue;
    std::int64_t covered = 0;
    for (const NvtxRange& range : all) covered += range.end - range.begin;
    if (covered <= most) continue;
    most = covered;
    best = all;
  }
  return best;
}

constexpr const char* kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr const char* kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr const char* kFills = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr const char* kCalls = "CUPTI_ACTIVITY_KIND_RUNTIME";
constexpr const char* kRanges = "NVTX_EVENTS";

// CUPTI counts cudaMemcpyKind so (CUpti_ActivityMemcpyKind).
std::string copy_name(std::int64_t kind) {
  switch (kind) {
    case 1: return "Memcpy HtoD";
    case 2: return "Memcpy DtoH";
    case 8: return "Memcpy DtoD";
    case 10: return "Memcpy PtoP";
    default: return "Memcpy";
  }
}

class NsysReader {
 public:
  NsysReader(const std::string& path, const std::function<void(const TraceEvent&)>& take)
      : path_(path), file_(path), take_(take) {}

  TraceHeader read() {
    file_.rows("StringIds", {"id", "value"},
               [this](const NsysRow& row) { strings_[row.number(0).value_or(-1)] = row.text(1); });
    file_.rows("TARGET_INFO_GPU", {"name"}, [this](const NsysRow& row) {
      if (header_.device.empty()) header_.device = row.text(0);
    });
    const std::vector<NvtxRange> ranges = this->ranges();
    for (const char* table : {kKernels, kCopies, kFills, kCalls})
      file_.rows(table, {"start"}, [this](const NsysRow& row) { begin_at(time(row, 0)); });
    for (const NvtxRange& range : ranges) begin_at(range.begin);
    add_work();
    add_calls();
    add_ranges(ranges);
    return header_;
  }

 private:
  void begin_at(std::optional<std::int64_t> start) { first_ = std::min(first_, start.value_or(first_)); }

  // Returns a time in ns of whatever clock; the span of any two fits.
  std::optional<std::int64_t> time(const NsysRow& row, int column) const {
    constexpr std::int64_t kLatest = std::int64_t{1} << 61;  // 73 years
    const auto time = row.number(column);
    if (time && (*time < -kLatest || *time > kLatest))
      throw InputError(path_, fmt::format("holds a time of {} ns, which no run has", *time));
    return time;
  }

  std::vector<NvtxRange> ranges() {
    constexpr std::int64_t kPushPop = 59, kStartEnd = 60;  // NvtxPushPopRange, NvtxStartEndRange
    std::vector<NvtxRange> found;
    file_.rows(kRanges, {"start", "end", "text", "textId", "globalTid", "eventType"}, [&](const NsysRow& row) {
      const auto type = row.number(5).value_or(kPushPop);
      const auto begin = time(row, 0), end = time(row, 1);
      if ((type != kPushPop && type != kStartEnd) || !begin || !end || *end < *begin) return;
      std::string text = row.text(2);
      if (text.empty()) text = text_of(row.number(3));
      found.push_back({std::move(text), row.number(4).value_or(0), *begin, *end});
    });
    return found;
  }

  std::string text_of(std::optional<std::int64_t> id) const {
    const auto found = strings_.find(id.value_or(-1));
    return found == strings_.end() ? std::string() : found->second;
  }

  TraceEvent event(const char* category, std::string name, std::int64_t begin, std::int64_t end) {
    TraceEvent made;
    made.phase = 'X';
    made.category = category;
    made.name = std::move(name);
    made.begin_us = static_cast<double>(begin - first_) * 1e-3;
    made.duration_us = static_cast<double>(end - begin) * 1e-3;
    ++header_.events;
    return made;
  }

  // The row's last column gives the `name`.
  template <class Name>
  void add_work_of(const char* table, const char* category, const std::string& last, Name name) {
    file_.rows(table, {"start", "end", "streamId", "correlationId", "deviceId", last}, [&](const NsysRow& row) {
      TraceEvent made = event(category, name(row), time(row, 0).value_or(first_), time(row, 1).value_or(first_));
      made.stream = row.number(2);
      made.correlation = row.number(3);
      devices_.insert(row.number(4).value_or(0));
      take_(made);
    });
  }

  void add_work() {
    const std::string kernel = file_.column(kKernels, {"demangledName", "shortName", "mangledName"});
    add_work_of(kKernels, "kernel", kernel, [this](const NsysRow& row) { return text_of(row.number(5)); });
    add_work_of(kCopies, "gpu_memcpy", "copyKind",
                [](const NsysRow& row) { return copy_name(row.number(5).value_or(0)); });
    add_work_of(kFills, "gpu_memset", "bytes", [](const NsysRow&) { return std::string("Memset"); });
    if (devices_.size() > 1)
      throw InputError(path_,
                       fmt::format("holds {} accelerators; let nsys write one file a rank (--output=rank%q{{RANK}})",
                                   devices_.size()));
  }

  void add_calls() {
    file_.rows(kCalls, {"start", "end", "globalTid", "correlationId", "nameId"}, [this](const NsysRow& row) {
      TraceEvent made =
          event("cuda_runtime", text_of(row.number(4)), time(row, 0).value_or(first_), time(row, 1).value_or(first_));
      made.thread = row.number(2).value_or(0);
      made.correlation = row.number(3);
      take_(made);
    });
  }

  // Steps are named as Kineto names them; PyTorch's annotations and NCCL's own ("ncclAllReduce") stay as they are.
  void add_ranges(const std::vector<NvtxRange>& ranges) {
    std::vector<NvtxRange> others;
    for (const NvtxRange& range : ranges) {
      const bool around = range.text.starts_with("nccl") || range.text.starts_with("c10d::");
      if (!around) {
        others.push_back(range);
        continue;
      }
      const bool own = range.text.starts_with("nccl") && !range.text.starts_with("nccl:");
      TraceEvent made = event("user_annotation", (own ? "nccl:" : "") + range.text, range.begin, range.end);
      made.thread = range.thread;
      take_(made);
    }
    const std::vector<NvtxRange> steps = repeated_ranges(others);
    std::set<std::int64_t> numbers;
    for (const NvtxRange& step : steps) numbers.insert(trailing_number(step.text));
    const bool numbered = numbers.size() == steps.size() && !numbers.contains(-1);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::int64_t number = numbered ? trailing_number(steps[i].text) : static_cast<std::int64_t>(i);
      TraceEvent made = event("user_annotation", fmt::format("ProfilerStep#{}", number), steps[i].begin, steps[i].end);
      made.thread = steps[i].thread;
      take_(made);
    }
  }

  std::string path_;
  NsysFile file_;
  const std::function<void(const TraceEvent&)>& take_;
  TraceHeader header_;
  std::unordered_map<std::int64_t, std::string> strings_;
  std::set<std::int64_t> devices_;
  std::int64_t first_ = std::numeric_limits<std::int64_t>::max();  // ns of the first event
};

}  // namespace

TraceHeader read_nsys(const std::string& path, const std::function<void(const TraceEvent&)>& take) {
  return NsysReader(path, take).read();
}

}  // namespace mlsim::replay
