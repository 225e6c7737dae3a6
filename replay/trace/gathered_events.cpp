#include "replay/trace/gathered_events.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

namespace mlsim::replay {
namespace {

// Keeps letters alone, small: "_allgather_base" and "all_gather" both begin with "allgather".
std::string letters(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (std::isalpha(static_cast<unsigned char>(c)) != 0)
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// Returns the bytes of an element, by the words of PyTorch's profiler; 0 is unknown.
double element_size(const std::string& type) {
  static const std::array<std::pair<const char*, double>, 22> sizes{
      {{"float", 4},    {"Float", 4},         {"double", 8},      {"Double", 8}, {"int", 4},
       {"Int", 4},      {"long int", 8},      {"long", 8},        {"Long", 8},   {"short", 2},
       {"Short", 2},    {"unsigned char", 1}, {"signed char", 1}, {"Byte", 1},   {"Char", 1},
       {"bool", 1},     {"Bool", 1},          {"c10::Half", 2},   {"Half", 2},   {"c10::BFloat16", 2},
       {"BFloat16", 2}, {"Float8_e4m3fn", 1}}};
  for (const auto& [name, size] : sizes)
    if (type == name) return size;
  return 0;
}

// Returns the bytes of the largest input.
double input_bytes(const TraceEvent& event) {
  double most = 0;
  for (std::size_t i = 0; i < std::min(event.input_sizes.size(), event.input_types.size()); ++i)
    most = std::max(most, event.input_sizes[i] * element_size(event.input_types[i]));
  return most;
}

// The ratio of a gather's or scatter's buffers is the group's size: outputs stand first among c10d's inputs.
int ratio_of_buffers(const TraceEvent& operation) {
  if (operation.input_sizes.size() < 2) return 0;
  const auto [least, most] = std::minmax(operation.input_sizes[0], operation.input_sizes[1]);
  return least > 0 ? nearest_whole<int>(std::round(most / least)) : 0;
}

bool gathers(CollectiveKind kind) {
  return kind == CollectiveKind::all_gather || kind == CollectiveKind::reduce_scatter;
}

// Categories of 2021 are capitalised.
std::optional<RecordedKind> work_of(const std::string& category) {
  static const std::array<std::pair<const char*, RecordedKind>, 6> kinds{{{"kernel", RecordedKind::compute},
                                                                          {"Kernel", RecordedKind::compute},
                                                                          {"gpu_memcpy", RecordedKind::copy},
                                                                          {"Memcpy", RecordedKind::copy},
                                                                          {"gpu_memset", RecordedKind::fill},
                                                                          {"Memset", RecordedKind::fill}}};
  for (const auto& [name, kind] : kinds)
    if (category == name) return kind;
  return {};
}

bool begins_with_any(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view each) { return name.starts_with(each); });
}

// Returns "ns::kernel" of "void ns::(anonymous namespace)::kernel<int>(float*)".
std::string function_name(std::string_view kernel) {
  std::string name(kernel);
  for (const std::string word : {"(anonymous namespace)::", "void "})
    if (const std::size_t at = name.find(word); at != std::string::npos) name.erase(at, word.size());
  return name.substr(0, name.find_first_of("<("));
}

bool is_launch(const std::string& category) {
  return category == "cuda_runtime" || category == "cuda_driver" || category == "Runtime";
}

}  // namespace

std::optional<CollectiveKind> collective_named(std::string_view name) {
  static const std::array<std::pair<const char*, CollectiveKind>, 12> words{
      {{"allreduce", CollectiveKind::all_reduce},
       {"crossdevicereduce", CollectiveKind::all_reduce},
       {"reducescatter", CollectiveKind::reduce_scatter},
       {"allgather", CollectiveKind::all_gather},
       {"broadcast", CollectiveKind::broadcast},
       {"alltoall", CollectiveKind::all_to_all},
       {"dispatch", CollectiveKind::all_to_all},
       {"combine", CollectiveKind::all_to_all},
       {"notify", CollectiveKind::all_to_all},
       {"sendrecv", CollectiveKind::send_receive},
       {"send", CollectiveKind::send_receive},
       {"recv", CollectiveKind::send_receive}}};
  const std::string plain = letters(name);
  for (const auto& [word, kind] : words)
    if (plain.find(word) != std::string::npos) return kind;
  return {};
}

// Libraries say so in their names, and so do kernels of symmetric memory, of inference engines (cross_device_reduce)
// and of DeepEP, whose layout of tokens is counted on each rank alone, as are reductions within warps and blocks.
bool is_communication(std::string_view kernel) {
  static constexpr std::array<std::string_view, 13> words{
      "nccl",     "rccl",      "msccl",     "oneccl",        "deepep",   "internode",        "intranode",
      "multimem", "allreduce", "allgather", "reducescatter", "alltoall", "crossdevicereduce"};
  static constexpr std::array<std::string_view, 3> local{"getdispatchlayout", "warpallreduce", "blockallreduce"};
  const std::string plain = letters(function_name(kernel));
  const auto has = [&](std::string_view word) { return plain.find(word) != std::string::npos; };
  return std::any_of(words.begin(), words.end(), has) && std::none_of(local.begin(), local.end(), has);
}

bool exchanges(const TraceEvent& operation, std::string_view kernel) {
  return !operation.name.starts_with("symm_mem::fused_") && kernel.find("at::native::") == std::string_view::npos;
}

RecordedCollective recorded_collective(const TraceEvent& kernel, const TraceEvent* annotation,
                                       const TraceEvent* operation) {
  RecordedCollective found;
  std::optional<CollectiveKind> kind;
  if (!kernel.collective.empty()) kind = collective_named(kernel.collective);
  if (!kind && annotation != nullptr) kind = collective_named(annotation->name);
  if (!kind && operation != nullptr) kind = collective_named(operation->name);
  if (!kind) kind = collective_named(kernel.name);
  found.kind = kind.value_or(CollectiveKind::send_receive);
  found.group = kernel.group;
  found.group_size = nearest_whole<int>(static_cast<double>(kernel.group_size.value_or(0)));
  double bytes = static_cast<double>(std::max(kernel.in_elements.value_or(0), kernel.out_elements.value_or(0))) *
                 element_size(kernel.dtype);
  for (const TraceEvent* round : {annotation, operation})
    if (round != nullptr) bytes = std::max(bytes, input_bytes(*round));
  if (bytes > 0) found.payload = Bytes(bytes);
  if (found.group_size == 0 && operation != nullptr && gathers(found.kind))
    found.group_size = ratio_of_buffers(*operation);
  return found;
}

void GatheredEvents::add(const TraceEvent& e) {
  if (const auto kind = work_of(e.category)) {
    GatheredWork work{
        *kind, e.stream.value_or(e.thread), e.correlation.value_or(-1), index_of(e.name), e.begin_us, e.duration_us, 0};
    if (*kind == RecordedKind::compute && (!e.collective.empty() || is_communication(e.name))) {
      work.kind = RecordedKind::collective;
      work.communication = communications_.size();
      communications_.push_back(e);
    }
    work_.push_back(work);
  } else if (is_launch(e.category)) {
    if (e.correlation) launches_[*e.correlation] = {e.begin_us, e.duration_us, e.thread};
  } else if (e.name.starts_with("ProfilerStep#")) {
    if (e.category != "gpu_user_annotation") steps_.push_back(e);  // the accelerator's copy of the host's
  } else if (begins_with_any(e.name, {"nccl:", "c10d::", "symm_mem::", "deep_ep::"})) {
    around_[e.thread].push_back(e);
  }
}

void GatheredEvents::sort() {
  for (auto& [thread, events] : around_)
    std::sort(events.begin(), events.end(), [](const auto& a, const auto& b) { return a.begin_us < b.begin_us; });
}

const HostLaunch* GatheredEvents::launch_of(const GatheredWork& work) const {
  const auto found = launches_.find(work.correlation);
  return found == launches_.end() ? nullptr : &found->second;
}

const TraceEvent* GatheredEvents::annotation_of(const HostLaunch& launch) const { return around(launch, {"nccl:"}); }

const TraceEvent* GatheredEvents::operation_of(const HostLaunch& launch) const {
  return around(launch, {"c10d::", "symm_mem::", "deep_ep::"});
}

const TraceEvent* GatheredEvents::around(const HostLaunch& launch,
                                         std::initializer_list<std::string_view> prefixes) const {
  const auto thread = around_.find(launch.thread);
  if (thread == around_.end()) return nullptr;
  const auto& events = thread->second;
  auto at = std::upper_bound(events.begin(), events.end(), launch.begin_us,
                             [](double moment, const TraceEvent& e) { return moment < e.begin_us; });
  constexpr int kDeepest = 16;  // they nest, and few deep
  for (int i = 0; i < kDeepest && at != events.begin(); ++i) {
    --at;
    if (launch.begin_us <= at->begin_us + at->duration_us && begins_with_any(at->name, prefixes)) return &*at;
  }
  return nullptr;
}

RecordedStep GatheredEvents::whole() const {
  double begin = work_.front().begin_us, end = begin;
  for (const GatheredWork& work : work_) {
    begin = std::min(begin, work.begin_us);
    end = std::max(end, work.begin_us + work.duration_us);
  }
  for (const auto& [correlation, launch] : launches_) begin = std::min(begin, launch.begin_us);
  return {0, microseconds(begin), microseconds(end - begin), microseconds(end - begin)};
}

std::size_t GatheredEvents::index_of(const std::string& name) {
  const auto [entry, fresh] = known_.try_emplace(name, names_.size());
  if (fresh) names_.push_back(name);
  return entry->second;
}

}  // namespace mlsim::replay
