#include "replay/trace/nsys_table.hpp"

#include <sqlite3.h>

#include <fstream>
#include <string_view>

#include "core/text/errors.hpp"

namespace mlsim::replay {
namespace {

sqlite3_stmt* row_of(void* statement) { return static_cast<sqlite3_stmt*>(statement); }

// SQL quotes names so.
std::string quoted(const std::string& name) { return '"' + name + '"'; }

const char* unreadable(int code) {
  return code == SQLITE_NOTADB || code == SQLITE_CORRUPT ? "is no whole SQLite file" : "cannot be read as SQLite";
}

}  // namespace

bool is_sqlite(const std::string& path) {
  using namespace std::string_view_literals;
  constexpr std::string_view kMagic = "SQLite format 3\0"sv;  // SQLite's file format, 1.2
  std::string head(kMagic.size(), ' ');
  std::ifstream(path, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
  return head == kMagic;
}

std::optional<std::int64_t> NsysRow::number(int column) const {
  const int type = sqlite3_column_type(row_of(statement_), column);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return {};
  return sqlite3_column_int64(row_of(statement_), column);
}

std::string NsysRow::text(int column) const {
  const unsigned char* const text = sqlite3_column_text(row_of(statement_), column);
  return text == nullptr ? std::string() : reinterpret_cast<const char*>(text);
}

NsysFile::NsysFile(const std::string& path) : path_(path) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READONLY, nullptr);
  database_ = {opened, [](void* handle) { sqlite3_close_v2(static_cast<sqlite3*>(handle)); }};
  if (code != SQLITE_OK) throw InputError(path, unreadable(code));
}

void NsysFile::each(const std::string& sql, const std::function<void(const NsysRow&)>& take) const {
  auto* const database = static_cast<sqlite3*>(database_.get());
  const auto check = [&](int code, int good) {
    if (code != good) throw InputError(path_, unreadable(code));
  };
  sqlite3_stmt* prepared = nullptr;
  check(sqlite3_prepare_v2(database, sql.c_str(), -1, &prepared, nullptr), SQLITE_OK);
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(prepared, sqlite3_finalize);
  int code = sqlite3_step(prepared);
  for (; code == SQLITE_ROW; code = sqlite3_step(prepared)) take(NsysRow(prepared));
  check(code, SQLITE_DONE);
}

bool NsysFile::has(const std::string& table) const {
  bool found = false;
  each("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')",
       [&](const NsysRow& row) { found = found || row.text(0) == table; });
  return found;
}

std::string NsysFile::column(const std::string& table, const std::vector<std::string>& names) const {
  if (!has(table)) return {};
  std::vector<std::string> there;
  each("PRAGMA table_info(" + quoted(table) + ")", [&](const NsysRow& row) { there.push_back(row.text(1)); });
  for (const std::string& name : names)
    for (const std::string& column : there)
      if (column == name) return name;
  return {};
}

void NsysFile::rows(const std::string& table, const std::vector<std::string>& columns,
                    const std::function<void(const NsysRow&)>& take) const {
  if (!has(table)) return;
  std::string list;
  for (const std::string& asked : columns) {
    const std::string name = column(table, {asked});
    list += (list.empty() ? "" : ", ") + (name.empty() ? "NULL" : quoted(name));
  }
  each("SELECT " + list + " FROM " + quoted(table), take);
}

}  // namespace mlsim::replay
