#include "studies/sweep/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/files/output_file.hpp"
#include "core/text/errors.hpp"
#include "core/text/text_file.hpp"

namespace mlsim::studies {
namespace {

using OrderedJson = nlohmann::ordered_json;

const std::string kStoreVersion = "3";

std::string quoted(const std::string& name) { return "\"" + name + "\""; }

std::string axis_column(const std::string& key) {
  std::string name = key;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

std::string axes_json(const std::vector<SweepAxis>& axes) {
  OrderedJson json;
  for (const SweepAxis& axis : axes) json[axis.key] = axis.values;
  return json.dump();
}

std::vector<SweepAxis> axes_from(const std::string& text) {
  std::vector<SweepAxis> axes;
  const OrderedJson json = OrderedJson::parse(text);
  for (const auto& [key, values] : json.items()) axes.push_back({key, values.get<std::vector<std::string>>()});
  return axes;
}

std::string create_rows(const std::vector<SweepAxis>& axes) {
  std::string sql = "CREATE TABLE rows(point INTEGER PRIMARY KEY";
  for (const SweepAxis& axis : axes) sql += ", " + quoted(axis_column(axis.key)) + " NUMERIC";
  sql += ", status TEXT, reason TEXT";
  for (const RowColumn& column : row_columns()) sql += ", " + quoted(column.name) + (column.number ? " REAL" : " TEXT");
  return sql + ", checksum TEXT)";
}

std::string insert_row(std::size_t axes) {
  std::string sql = "INSERT OR REPLACE INTO rows VALUES(?";
  for (std::size_t i = 0; i < axes + 3 + row_columns().size(); ++i) sql += ",?";
  return sql + ")";
}

std::string select_rows() {
  std::string sql = "SELECT point, status, reason";
  for (const RowColumn& column : row_columns()) sql += ", " + quoted(column.name);
  return sql + ", checksum FROM rows";
}

std::string checksum_of(const std::string& bytes) {
  boost::crc_32_type sum;
  sum.process_bytes(bytes.data(), bytes.size());
  return fmt::format("{:08x}", sum.checksum());
}

// Nothing of a row is believed that mlsim did not write so: files are damaged, edited and made by hand.
SweepRow row_from(const Database::Query& query, const std::string& file) {
  const auto columns = static_cast<int>(row_columns().size());
  const std::string status = query.text(1);
  const auto& known = names<RowStatus>();
  SweepRow row{static_cast<std::size_t>(query.integer(0)), {}, query.text(2), {}};
  const bool worded = std::find(known.begin(), known.end(), status) != known.end();
  if (worded) row.status = parse<RowStatus>(status);
  if (row.status == RowStatus::answered)
    for (int c = 0; c < columns; ++c) row.cells.push_back(query.cell(c + 3));
  if (!worded || query.text(columns + 3) != checksum_of(packed_rows({row})))
    throw InputError(file, fmt::format("the row of point {} is not as mlsim wrote it", query.integer(0)));
  return row;
}

// A store has its two tables and nothing that acts by itself.
void check_schema(Database& database, const std::vector<SweepAxis>& axes) {
  Database::Query others(database, "SELECT type, name FROM sqlite_master WHERE name NOT IN ('sweep', 'rows')");
  if (others.next())
    throw InputError(database.path(), fmt::format("has a {} \"{}\", which no store of a sweep has", others.text(0),
                                                  others.text(1).substr(0, 80)));
  Database::Query rows(database, "SELECT sql FROM sqlite_master WHERE name = 'rows'");
  rows.next();
  if (rows.text(0) != create_rows(axes))
    throw InputError(database.path(), "has other columns than a store of its sweep");
}

constexpr const char* kForeign = "is a database, but not of a sweep; it stays as it is";

bool has_its_tables(Database& database) {
  Database::Query tables(database, "SELECT count(*) FROM sqlite_master WHERE name IN ('sweep', 'rows')");
  tables.next();
  return tables.integer(0) == 2;
}

// The identity is empty where a file holds nothing yet.
std::optional<SweepIdentity> identity_in(Database& database) {
  std::map<std::string, std::string> said;
  Database::Query all(database, "SELECT count(*) FROM sqlite_master");
  all.next();
  if (all.integer(0) == 0) return std::nullopt;
  if (!has_its_tables(database)) throw InputError(database.path(), kForeign);
  Database::Query query(database, "SELECT key, value FROM sweep");
  while (query.next()) said[query.text(0)] = query.text(1);
  if (said["store"] != kStoreVersion)
    throw InputError(database.path(), fmt::format("is a store of version {}, written by mlsim {}; this mlsim reads "
                                                  "version {}",
                                                  said["store"], said["mlsim"], kStoreVersion));
  try {
    const SweepIdentity identity{axes_from(said["axes"]), said["mlsim"],
                                 OrderedJson::parse(said["files"]).get<std::map<std::string, std::string>>(),
                                 parse_shard(said["shard"])};
    check_schema(database, identity.axes);
    return identity;
  } catch (const OrderedJson::exception&) {
    throw InputError(database.path(), "does not say what was swept as mlsim writes it: it is damaged");
  } catch (const InputError& e) {
    throw e.place().empty() ? InputError(database.path(), e.reason()) : e;
  }
}

std::string list_text(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ",") + (value.empty() ? "default" : value);
  return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

std::size_t count_rows(Database& database) {
  Database::Query count(database, "SELECT count(*) FROM rows");
  count.next();
  return static_cast<std::size_t>(count.integer(0));
}

void check_is_database(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || file.peek() == std::ifstream::traits_type::eof() || is_database(path)) return;
  throw InputError(path, "is there and no store of a sweep; it stays as it is");
}

// Returns the path once it is known that a store may stand there. To begin anew empties a store where it is, so that
// its links and mode stay.
const std::string& made_ready(const std::string& path, Store::Start start) {
  check_is_database(path);
  if (start == Store::Start::go_on || !is_database(path)) return path;
  if (Database old(path, Database::Access::write); !has_its_tables(old)) throw InputError(path, kForeign);
  std::filesystem::remove(real_target(path) + "-journal");
  std::filesystem::resize_file(path, 0);
  return path;
}

// The kernel ends the workers of a sweep that was killed, which share its lock, well within this time.
constexpr Seconds kLockPatience(1);

}  // namespace

std::string difference(const SweepIdentity& stored, const SweepIdentity& asked) {
  if (stored.version != asked.version)
    return fmt::format("mlsim {} wrote it, and this is {}", stored.version, asked.version);
  const auto values = [](const std::vector<SweepAxis>& axes,
                         const std::string& key) -> const std::vector<std::string>* {
    for (const SweepAxis& axis : axes)
      if (axis.key == key) return &axis.values;
    return nullptr;
  };
  for (const SweepAxis& axis : asked.axes) {
    const auto* other = values(stored.axes, axis.key);
    if (other == nullptr) return fmt::format("it says nothing of {}", axis.key);
    if (*other != axis.values)
      return fmt::format("{} is {} there and {} here", axis.key, list_text(*other), list_text(axis.values));
  }
  for (const SweepAxis& axis : stored.axes)
    if (values(asked.axes, axis.key) == nullptr)
      return fmt::format("{} is {} there and not given here", axis.key, list_text(axis.values));
  if (axes_json(stored.axes) != axes_json(asked.axes)) return "its words stand in another order";
  for (const auto& [path, sum] : asked.files) {
    const auto other = stored.files.find(path);
    if (other == stored.files.end() || other->second != sum) return fmt::format("{} has changed since", path);
  }
  if (stored.files.size() != asked.files.size()) return "it leans on files that are not given here";
  if (stored.shard != asked.shard)
    return fmt::format("it is of shard {} and this is {}", to_text(stored.shard), to_text(asked.shard));
  return "";
}

std::map<std::string, std::string> checksums(const std::vector<std::string>& paths) {
  std::map<std::string, std::string> sums;
  for (const std::string& path : paths) sums[path] = checksum_of(read_text_file(path));
  return sums;
}

StoreContents store_contents(const std::string& path) {
  check_is_database(path);
  Database database(path, Database::Access::read);
  const auto identity = identity_in(database);
  if (!identity) throw InputError(path, "holds nothing yet");
  return {*identity, count_rows(database)};
}

bool any_answered(const std::string& path) {
  Database database(path, Database::Access::read);
  return Database::Query(database, "SELECT 1 FROM rows WHERE status = 'answered' LIMIT 1").next();
}

void for_each_row(const std::string& path, const std::function<void(const SweepRow&)>& each) {
  Database database(path, Database::Access::read);
  Database::Query query(database, select_rows() + " ORDER BY point");
  while (query.next()) each(row_from(query, path));
}

Store::Store(const std::string& path, const SweepIdentity& identity, Start start)
    : axes_(identity.axes),
      lock_(path, "mlsim sweep", {kLockPatience}),
      database_(made_ready(path, start), Database::Access::write) {
  const auto stored = identity_in(database_);
  if (!stored) {
    begin(identity);
  } else if (const std::string other = difference(*stored, identity); !other.empty()) {
    throw InputError(path, fmt::format("holds another sweep ({}); name another --output", other));
  }
  insert_.emplace(database_, insert_row(axes_.size()));
  database_.run("BEGIN");
}

void Store::begin(const SweepIdentity& identity) {
  database_.run("BEGIN");
  database_.run("CREATE TABLE sweep(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID");
  database_.run(create_rows(identity.axes));
  Database::Query say(database_, "INSERT INTO sweep VALUES(?,?)");
  const std::vector<std::pair<std::string, std::string>> said{{"store", kStoreVersion},
                                                              {"mlsim", identity.version},
                                                              {"axes", axes_json(identity.axes)},
                                                              {"files", OrderedJson(identity.files).dump()},
                                                              {"shard", to_text(identity.shard)}};
  for (const auto& [key, value] : said) {
    say.bind(1, Cell(key));
    say.bind(2, Cell(value));
    say.next();
  }
  database_.run("COMMIT");
}

std::vector<bool> Store::present(std::size_t points) {
  std::vector<bool> present(points, false);
  Database::Query query(database_, select_rows());
  while (query.next())
    if (const SweepRow row = row_from(query, database_.path()); row.status != RowStatus::failed && row.point < points)
      present[row.point] = true;
  return present;
}

std::optional<SweepRow> Store::row(std::size_t point) {
  Database::Query query(database_, select_rows() + " WHERE point = ?");
  query.bind(1, static_cast<std::int64_t>(point));
  if (!query.next()) return std::nullopt;
  return row_from(query, database_.path());
}

std::size_t Store::rows() { return count_rows(database_); }

void Store::add(const SweepRow& row) {
  int parameter = 0;
  insert_->bind(++parameter, static_cast<std::int64_t>(row.point));
  for (const std::string& word : values_of_point(axes_, row.point))
    insert_->bind(++parameter, word.empty() ? Cell() : Cell(word));
  insert_->bind(++parameter, Cell(std::string(name(row.status))));
  insert_->bind(++parameter, row.reason.empty() ? Cell() : Cell(row.reason));
  for (std::size_t c = 0; c < row_columns().size(); ++c)
    insert_->bind(++parameter, c < row.cells.size() ? row.cells[c] : Cell());
  insert_->bind(++parameter, Cell(checksum_of(packed_rows({row}))));
  insert_->next();
}

void Store::commit() { database_.run("COMMIT; BEGIN"); }

void Store::finish() {
  database_.run("COMMIT");
  insert_.reset();
  // Each copy counts the version up, and a store may be finished twice.
  database_.run("PRAGMA schema_version = 1");
  replace_file(database_.path(), [this](const std::string& name) {
    Database::Query copy(database_, "VACUUM INTO ?");
    copy.bind(1, Cell(name));
    copy.next();
  });
}

}  // namespace mlsim::studies
