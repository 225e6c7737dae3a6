// Traces as the PyTorch profiler writes them, of one stream of kernels and one of collectives.
#pragma once

#include <zlib.h>

#include <fstream>
#include <string>

#include <fmt/format.h>

#include "scratch_folder.hpp"

namespace mlsim::test {

class ToyTrace {
 public:
  explicit ToyTrace(int rank = 0, int ranks = 1)
      : head_(fmt::format(R"({{"schemaVersion": 1, "deviceProperties": [{{"id": 0, "name": "Toy GPU"}}],
"distributedInfo": {{"backend": "nccl", "rank": {}, "world_size": {}}}, "traceEvents": [)",
                          rank, ranks)) {}

  ToyTrace& step(int number, double begin, double duration) {
    return add(fmt::format(R"("cat": "user_annotation", "name": "ProfilerStep#{}", "tid": 1)", number), begin,
               duration);
  }
  // Launched by the host `ahead` earlier.
  ToyTrace& kernel(const std::string& name, double begin, double duration, double ahead = 5, int stream = 7,
                   const std::string& args = "") {
    ++correlation_;
    add(fmt::format(R"("cat": "cuda_runtime", "name": "cudaLaunchKernel", "tid": 1, "args": {{"correlation": {}}})",
                    correlation_),
        begin - ahead, 2);
    return add(fmt::format(R"("cat": "kernel", "name": "{}", "tid": {}, "args": {{"stream": {}, "correlation": {}{}}})",
                           name, stream, stream, correlation_, args),
               begin, duration);
  }
  // The file has no launch of it.
  ToyTrace& unlaunched(const std::string& name, double begin, double duration, int stream = 7) {
    return add(fmt::format(R"("cat": "kernel", "name": "{}", "tid": {}, "args": {{"stream": {}, "correlation": {}}})",
                           name, stream, stream, 1000000 + ++correlation_),
               begin, duration);
  }
  ToyTrace& around(const std::string& category, const std::string& name, double begin, double duration,
                   const std::string& args) {
    return add(fmt::format(R"("cat": "{}", "name": "{}", "tid": 1, "args": {{{}}})", category, name, args), begin,
               duration);
  }
  ToyTrace& raw(const std::string& event) {
    events_ += (events_.empty() ? "" : ",\n") + event;
    return *this;
  }

  std::string events() const { return events_; }
  std::string text() const { return head_ + events_ + "]}\n"; }
  std::string in(const ScratchFolder& folder, const std::string& file = "trace.json") const {
    std::ofstream(folder.path(file)) << text();
    return folder.path(file);
  }

 private:
  ToyTrace& add(const std::string& fields, double begin, double duration) {
    return raw(
        fmt::format(R"({{"ph": "X", {}, "pid": 1, "ts": {:.3f}, "dur": {:.3f}}})", fields, kEpoch + begin, duration));
  }

  static constexpr double kEpoch = 1.7e15;  // us
  std::string head_, events_;
  int correlation_ = 0;
};

inline std::string file_with(const ScratchFolder& folder, const std::string& name, const std::string& text) {
  std::ofstream(folder.path(name)) << text;
  return folder.path(name);
}

inline std::string gzip_with(const ScratchFolder& folder, const std::string& name, const std::string& text) {
  gzFile file = gzopen(folder.path(name).c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return folder.path(name);
}

}  // namespace mlsim::test
