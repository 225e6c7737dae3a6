// Small exports of nsys, with the tables and columns that a test asks for.
#pragma once

#include <sqlite3.h>

#include <map>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "scratch_folder.hpp"

namespace mlsim::test {

/// Times in us, as ToyTrace has them.
class ToyNsys {
 public:
  ToyNsys& range(const std::string& text, double begin, double duration) {
    ranges_ += fmt::format("INSERT INTO NVTX_EVENTS VALUES ({}, {}, 59, '{}', NULL, {});", ns(begin),
                           ns(begin + duration), text, kThread);
    return *this;
  }
  ToyNsys& kernel(const std::string& name, double begin, double duration, double ahead = 5, int stream = 7,
                  int device = 0) {
    call(begin - ahead);
    return work("KERNEL", begin, duration, stream, device, fmt::format(", {}, {}", id(name), id("short")));
  }
  ToyNsys& copy(double begin, double duration) {
    call(begin - 5);
    return work("MEMCPY", begin, duration, 7, 0, ", 4096, 1");
  }
  ToyNsys& fill(double begin, double duration) {
    call(begin - 5);
    return work("MEMSET", begin, duration, 7, 0, ", 4096");
  }

  /// Tables without rows are absent, as nsys leaves them out.
  std::string in(const ScratchFolder& folder, const std::string& name = "rank0.sqlite") const {
    std::string sql = "CREATE TABLE StringIds (id INTEGER, value TEXT);";
    for (const auto& [value, id] : ids_) sql += fmt::format("INSERT INTO StringIds VALUES ({}, '{}');", id, value);
    sql += "CREATE TABLE TARGET_INFO_GPU (name TEXT); INSERT INTO TARGET_INFO_GPU VALUES ('Toy GPU');";
    const std::map<std::string, std::string> more{{"KERNEL", ", demangledName INTEGER, shortName INTEGER"},
                                                  {"MEMCPY", ", bytes INTEGER, copyKind INTEGER"},
                                                  {"MEMSET", ", bytes INTEGER"}};
    for (const auto& [kind, rows] : work_)
      sql += "CREATE TABLE CUPTI_ACTIVITY_KIND_" + kind +
             " (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER" + more.at(kind) +
             ");" + rows;
    if (!calls_.empty())
      sql +=
          "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId "
          "INTEGER, nameId INTEGER);" +
          calls_;
    if (!ranges_.empty())
      sql +=
          "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER, "
          "globalTid INTEGER);" +
          ranges_;
    const std::string path = folder.path(name);
    sqlite3* file = nullptr;
    sqlite3_open(path.c_str(), &file);
    const bool done = sqlite3_exec(file, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
    sqlite3_close(file);
    if (!done) throw std::runtime_error("the test's database cannot be made");
    return path;
  }

 private:
  static long long ns(double us) { return 1700000000000000000LL + static_cast<long long>(us * 1000); }

  void call(double begin) {
    ++correlation_;
    calls_ += fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({}, {}, {}, {}, {});", ns(begin),
                          ns(begin + 2), kThread, correlation_, id("cudaLaunchKernel"));
  }
  ToyNsys& work(const std::string& kind, double begin, double duration, int stream, int device,
                const std::string& rest) {
    work_[kind] += fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_{} VALUES ({}, {}, {}, {}, {}{});", kind, ns(begin),
                               ns(begin + duration), device, stream, correlation_, rest);
    return *this;
  }
  int id(const std::string& value) { return ids_.try_emplace(value, static_cast<int>(ids_.size()) + 1).first->second; }

  static constexpr long long kThread = 281474976710657LL;
  std::map<std::string, int> ids_;
  std::map<std::string, std::string> work_;  // by kind: statements
  std::string calls_, ranges_;
  int correlation_ = 0;
};

}  // namespace mlsim::test
