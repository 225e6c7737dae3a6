#include "studies/sweep/database.hpp"

#include <sqlite3.h>

#include <fstream>
#include <string_view>

#include "core/files/output_file.hpp"
#include "core/text/errors.hpp"

namespace mlsim::studies {
namespace {

sqlite3* connection(const std::shared_ptr<void>& handle) { return static_cast<sqlite3*>(handle.get()); }
sqlite3_stmt* statement(const std::shared_ptr<void>& handle) { return static_cast<sqlite3_stmt*>(handle.get()); }

constexpr int kWaitMs = 5000;  // for a reader that holds the file just now

const char* obstacle(int code) {
  switch (code & 0xff) {  // of an extended code
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT: return "is no whole SQLite file";
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return "another process writes to it";
    case SQLITE_FULL: return "cannot be written: the disk is full";
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      return "cannot be opened as a database of results: does its folder exist, and may you write there?";
    case SQLITE_ERROR: return "is no database of mlsim's results";
    default: return "cannot be read or written as a database of results";
  }
}

}  // namespace

bool is_database(const std::string& path) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);  // with its zero; SQLite's file format, 1.2
  std::string head(kMagic.size(), ' ');
  std::ifstream(path, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
  return head == kMagic;
}

Database::Database() { open(":memory:", SQLITE_OPEN_READWRITE); }

Database::Database(const std::string& path, Access access) : path_(path) {
  // SQLite takes ":memory:" and "file:" for something else than names of files, but not behind a folder.
  open(real_target(path), access == Access::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
}

void Database::open(const std::string& target, int flags) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(target.c_str(), &opened, flags, nullptr);
  connection_ = {opened, [](void* handle) { sqlite3_close_v2(static_cast<sqlite3*>(handle)); }};
  if (code != SQLITE_OK) fail();
  sqlite3_busy_timeout(opened, kWaitMs);
}

void Database::run(const std::string& sql) {
  if (sqlite3_exec(connection(connection_), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

void Database::fail() const { throw InputError(path_, obstacle(sqlite3_errcode(connection(connection_)))); }

Database::Query::Query(Database& database, const std::string& sql) : database_(database) {
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(connection(database.connection_), sql.c_str(), -1, &prepared, nullptr) != SQLITE_OK)
    database.fail();
  statement_ = {prepared, [](void* handle) { sqlite3_finalize(static_cast<sqlite3_stmt*>(handle)); }};
}

void Database::Query::bind(int parameter, const Cell& cell) {
  sqlite3_stmt* prepared = statement(statement_);
  int code = SQLITE_OK;
  if (const auto* number = std::get_if<double>(&cell))
    code = sqlite3_bind_double(prepared, parameter, *number);
  else if (const auto* text = std::get_if<std::string>(&cell))
    code = sqlite3_bind_text(prepared, parameter, text->data(), static_cast<int>(text->size()), SQLITE_TRANSIENT);
  else
    code = sqlite3_bind_null(prepared, parameter);
  if (code != SQLITE_OK) database_.fail();
}

void Database::Query::bind(int parameter, std::int64_t number) {
  if (sqlite3_bind_int64(statement(statement_), parameter, number) != SQLITE_OK) database_.fail();
}

bool Database::Query::next() {
  const int code = sqlite3_step(statement(statement_));
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail();
  sqlite3_reset(statement(statement_));
  return false;
}

Cell Database::Query::cell(int column) const {
  switch (sqlite3_column_type(statement(statement_), column)) {
    case SQLITE_INTEGER:
    case SQLITE_FLOAT: return sqlite3_column_double(statement(statement_), column);
    case SQLITE_TEXT: return text(column);
    default: return {};
  }
}

std::int64_t Database::Query::integer(int column) const { return sqlite3_column_int64(statement(statement_), column); }

std::string Database::Query::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement(statement_), column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement(statement_), column));
  return bytes == nullptr ? std::string() : std::string(std::string_view(bytes, size));
}

}  // namespace mlsim::studies
