// A `Store` keeps a sweep's rows in an SQLite file that survives whatever ends the program, and that a second call goes
// on with.
//
// Table `rows` has the point, its words as typed (a column an axis, '-' as '_'), status, reason, and row_columns().
// Table `sweep` says what was asked, by which mlsim, of which files. A finished store has the same bytes however it
// came about. Each row has a checksum: one that mlsim did not write is no answer.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/files/writer_lock.hpp"
#include "studies/namespace.hpp"
#include "studies/sweep/database.hpp"
#include "studies/sweep/shard.hpp"
#include "studies/sweep/sweep_axis.hpp"
#include "studies/sweep/sweep_row.hpp"

namespace mlsim::studies {

/// A `SweepIdentity` is what makes a sweep the same sweep.
struct SweepIdentity {
  std::vector<SweepAxis> axes;
  std::string version;                       // of mlsim
  std::map<std::string, std::string> files;  // checksums of the user's own, by path
  Shard shard;
};

/// Says what differs between two sweeps; empty where nothing does.
std::string difference(const SweepIdentity& stored, const SweepIdentity& asked);

/// Computes checksums of files by their paths. Throws InputError.
std::map<std::string, std::string> checksums(const std::vector<std::string>& paths);

/// `StoreContents` are what a store holds, read only.
struct StoreContents {
  SweepIdentity identity;
  std::size_t rows = 0;
};
StoreContents store_contents(const std::string& path);

/// Tells whether any point of the store has an answer.
bool any_answered(const std::string& path);

/// Calls `each` with every row of the store, in the order of points.
void for_each_row(const std::string& path, const std::function<void(const SweepRow&)>& each);

class Store {
 public:
  enum class Start { go_on, anew };

  /// Begins a store or goes on with one; `anew` forgets what is there. Throws InputError where the file is something
  /// else, holds another sweep or another mlsim's, or where another process is writing to it.
  Store(const std::string& path, const SweepIdentity& identity, Start start = Start::go_on);

  /// Tells by point whether its row is there and did not fail.
  std::vector<bool> present(std::size_t points);
  std::optional<SweepRow> row(std::size_t point);
  std::size_t rows();
  /// Adds the row in place of what is there of its point.
  void add(const SweepRow& row);
  /// Makes the rows up to here survive.
  void commit();
  /// Brings the file into the form that only its rows decide.
  void finish();

 private:
  void begin(const SweepIdentity& identity);

  std::vector<SweepAxis> axes_;
  WriterLock lock_;
  Database database_;
  std::optional<Database::Query> insert_;
};

}  // namespace mlsim::studies
