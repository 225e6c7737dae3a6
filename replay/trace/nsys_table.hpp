// An NsysFile reads an nsys export's tables row by row; a table or column that it lacks has no rows or values.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlsim::replay {

/// Says whether a file begins as SQLite's do.
bool is_sqlite(const std::string& path);

/// An NsysRow has the values of one row, in the order of the columns that were asked for.
class NsysRow {
 public:
  explicit NsysRow(void* statement) : statement_(statement) {}
  std::optional<std::int64_t> number(int column) const;  // empty where it has none
  std::string text(int column) const;

 private:
  void* statement_;
};

class NsysFile {
 public:
  /// Throws InputError with `path` where the file cannot be opened.
  explicit NsysFile(const std::string& path);

  bool has(const std::string& table) const;
  /// Returns the first of `names` that is a column of the table; an empty name where none is.
  std::string column(const std::string& table, const std::vector<std::string>& names) const;
  /// Hands each row to `take`. A column without a name is read as nothing. Throws InputError where the file is damaged.
  void rows(const std::string& table, const std::vector<std::string>& columns,
            const std::function<void(const NsysRow&)>& take) const;

 private:
  void each(const std::string& sql, const std::function<void(const NsysRow&)>& take) const;

  std::string path_;
  std::shared_ptr<void> database_;
};

}  // namespace mlsim::replay
