// A `Database` is the wall between sweeps and SQLite; nothing of SQLite shows here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "studies/namespace.hpp"
#include "studies/sweep/sweep_row.hpp"

namespace mlsim::studies {

/// Tells whether the file begins as SQLite's do; false of one that cannot be read.
bool is_database(const std::string& path);

/// A `Database` is an open one. Every error is an InputError whose place is the file.
class Database {
 public:
  enum class Access { read, write };

  /// Opens one that is in no file and empty.
  Database();
  /// Opens a file, which for writing need not be there.
  Database(const std::string& path, Access access);

  void run(const std::string& sql);

  /// A `Query` is a prepared statement; parameters count from 1, columns from 0. It must not outlive its database.
  class Query {
   public:
    Query(Database& database, const std::string& sql);
    void bind(int parameter, const Cell& cell);
    void bind(int parameter, std::int64_t number);
    /// Returns false where there is no further row; a statement that is asked again begins anew.
    bool next();
    Cell cell(int column) const;
    std::int64_t integer(int column) const;
    std::string text(int column) const;  // empty of a NULL

   private:
    Database& database_;
    std::shared_ptr<void> statement_;
  };

  const std::string& path() const { return path_; }

 private:
  void open(const std::string& target, int flags);
  [[noreturn]] void fail() const;

  std::string path_;
  std::shared_ptr<void> connection_;
};

}  // namespace mlsim::studies
