#include "studies/sweep/sweep.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "catch.hpp"
#include "core/process/child_process.hpp"
#include "core/process/forked.hpp"
#include "core/process/message.hpp"
#include "core/text/errors.hpp"
#include "core/text/text_file.hpp"
#include "scratch_folder.hpp"
#include "sim/answer/predict.hpp"
#include "sim/options/option.hpp"
#include "studies/known_figures.hpp"
#include "studies/sweep/shard.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// Two systems, two workloads, three prices: twelve points of four steps.
QuestionText small_sweep() {
  QuestionText lists;
  lists.topology = "dgx1-v100,dgx-a100";
  lists.workload = "resnet50,ssd";
  lists.settings = {"teardown=1 min,2 min,1 h"};
  return lists;
}

SweepIdentity identity_of(const SweepGrid& grid, const Shard& shard = {}) { return {grid.axes(), "test", {}, shard}; }

std::string swept(const SweepGrid& grid, const std::string& path, const Shard& shard = {}) {
  Store store(path, identity_of(grid, shard));
  SweepOptions options;
  options.shard = shard;
  const SweepOutcome outcome = sweep(grid, known(), store, options);
  CHECK(outcome.progress.done == outcome.progress.all);
  return path;
}

std::vector<SweepRow> rows_in(const std::string& path) {
  std::vector<SweepRow> rows;
  for_each_row(path, [&](const SweepRow& row) { rows.push_back(row); });
  return rows;
}

}  // namespace

TEST_CASE("every point of a sweep is what predict answers, also where points share a step") {
  const ScratchFolder scratch;
  const SweepGrid grid(small_sweep());
  REQUIRE(grid.points() == 12);
  CHECK(grid.points_of_step() == 3);
  const std::vector<SweepRow> rows = rows_in(swept(grid, scratch.path("all.sqlite")));
  REQUIRE(rows.size() == 12);
  for (const SweepRow& row : rows) {
    INFO("point " << row.point);
    CHECK(row == row_of(row.point, predict(request_of(grid.question(row.point), known()))));
  }
}

TEST_CASE("shards merge to the bytes of the whole, and a second call leaves them as they are") {
  const ScratchFolder scratch;
  const SweepGrid grid(small_sweep());
  const std::string whole = read_text_file(swept(grid, scratch.path("whole.sqlite")));
  std::vector<std::string> shards;
  for (const std::size_t index : {0, 1, 2})
    shards.push_back(swept(grid, scratch.path("shard" + std::to_string(index)), {index, 3}));
  CHECK(rows_in(shards[0]).size() == 6);  // two of four steps
  merge(shards, scratch.path("merged.sqlite"));
  CHECK(read_text_file(scratch.path("merged.sqlite")) == whole);
  swept(grid, scratch.path("merged.sqlite"));
  CHECK(read_text_file(scratch.path("merged.sqlite")) == whole);
}

TEST_CASE("a sweep that was stopped goes on with what is missing") {
  const ScratchFolder scratch;
  const SweepGrid grid(small_sweep());
  const std::string whole = read_text_file(swept(grid, scratch.path("whole.sqlite")));
  const std::string path = scratch.path("stopped.sqlite");
  {
    Store store(path, identity_of(grid));
    SweepOptions options;
    options.workers = 1;
    int asked = 0;
    options.stopped = [&] { return ++asked == 2; };
    const SweepOutcome outcome = sweep(grid, known(), store, options);
    CHECK(outcome.interrupted);
    CHECK(outcome.progress.done < 12);
  }
  CHECK(rows_in(path).size() < 12);
  CHECK(read_text_file(swept(grid, path)) == whole);
}

TEST_CASE("points without an answer are rows that say why") {
  const ScratchFolder scratch;
  QuestionText lists = small_sweep();
  lists.batch_per_accelerator = "16,1000000";
  lists.as_is = "on";
  lists.settings = {"price=on-demand,preemptible", "preemption_rate=0.1"};
  const SweepGrid grid(lists);
  const std::vector<SweepRow> rows = rows_in(swept(grid, scratch.path("refused.sqlite")));
  REQUIRE(rows.size() == 16);
  std::size_t answered = 0, without_effect = 0;
  for (const SweepRow& row : rows) {
    CHECK(row.cells.empty() == (row.status == RowStatus::refused));
    CHECK(row.reason.empty() == (row.status == RowStatus::answered));
    answered += row.reason.empty() ? 1 : 0;
    without_effect += row.reason.find("preemption_rate") != std::string::npos ? 1 : 0;
  }
  CHECK(answered == 2);        // DGX A100, both workloads, the small batch, preemptible
  CHECK(without_effect == 8);  // on demand nothing is preempted
}

TEST_CASE("a store keeps to its sweep, its writer and its version") {
  const ScratchFolder scratch;
  const SweepGrid grid(small_sweep());
  const std::string path = swept(grid, scratch.path("one.sqlite"));
  const std::string before = read_text_file(path);
  QuestionText other = small_sweep();
  other.workload = "resnet50";
  const auto open = [&](const std::string& file, const SweepIdentity& identity) { Store(file, identity); };
  CHECK_THROWS_WITH(open(path, identity_of(SweepGrid(other))),
                    ContainsSubstring("workload is resnet50,ssd there and resnet50 here"));
  SweepIdentity newer = identity_of(grid);
  newer.version = "newer";
  CHECK_THROWS_WITH(open(path, newer), ContainsSubstring("mlsim test wrote it"));
  CHECK_THROWS_WITH(open(path, identity_of(grid, {0, 2})), ContainsSubstring("shard 0/1 and this is 0/2"));
  std::ofstream(scratch.path("text")) << "not a store, but somebody's text of many words";
  CHECK_THROWS_WITH(open(scratch.path("text"), identity_of(grid)), ContainsSubstring("stays as it is"));
  CHECK_THROWS_WITH(merge({path, path}, path), ContainsSubstring("is one of the shards"));
  CHECK(read_text_file(path) == before);
}

TEST_CASE("a store stands where a link points, keeps its mode, and begins anew in place of no other file") {
  namespace fs = std::filesystem;
  const ScratchFolder scratch;
  const SweepGrid grid(small_sweep());
  const std::string path = swept(grid, scratch.path("store")), link = scratch.path("link");
  fs::create_symlink("store", link);
  const fs::perms mine = fs::perms::owner_read | fs::perms::owner_write;
  fs::permissions(path, mine);
  const auto begin_anew = [&](const std::string& file) { Store(file, identity_of(grid), Store::Start::anew).finish(); };
  begin_anew(link);
  CHECK(store_contents(path).rows == 0);
  swept(grid, link);
  CHECK(store_contents(path).rows == grid.points());
  CHECK(fs::is_symlink(link));
  CHECK(fs::status(path).permissions() == mine);
  const std::string text = scratch.file("thesis.txt", "Chapter 1"), database = scratch.path("own.db");
  Database(database, Database::Access::write).run("CREATE TABLE rows(mine); INSERT INTO rows VALUES(1)");
  for (const std::string& foreign : {text, database}) {
    const std::string before = text_of(foreign);
    CHECK_THROWS_WITH(begin_anew(foreign), ContainsSubstring(foreign) && ContainsSubstring("it stays as it is"));
    CHECK(text_of(foreign) == before);
  }
  CHECK(scratch.entries() == 4);
}

TEST_CASE("a database is a file whatever its name means to SQLite") {
  const ScratchFolder scratch;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(scratch.path());
  Database().run("CREATE TABLE rows(mine)");
  CHECK(scratch.entries() == 0);
  for (const std::string name : {":memory:", "file:x?mode=memory"}) {
    Database(name, Database::Access::write).run("CREATE TABLE rows(mine)");
    CHECK(is_database(name));
  }
  std::filesystem::current_path(before);
}

TEST_CASE("one sweep at a time writes to a store, as long as its process lives") {
  const ScratchFolder scratch;
  const SweepGrid grid(small_sweep());
  const std::string path = scratch.path("store");
  const auto outcome_of_another = [&](Store::Start start = Store::Start::go_on) {
    return forked([&] {
             Store store(path, identity_of(grid), start);
             return std::string("open");
           })
        .outcome;
  };
  {
    Store store(path, identity_of(grid));
    store.present(grid.points());
    for (const Store::Start start : {Store::Start::go_on, Store::Start::anew})
      CHECK_THROWS_WITH(outcome_of_another(start).value(),
                        ContainsSubstring("store: is being written by process " + std::to_string(::getpid())) &&
                            ContainsSubstring("(mlsim sweep)"));
    CHECK(store_contents(path).rows == 0);  // still there
  }
  CHECK(outcome_of_another().value() == "open");
  CHECK(scratch.entries() == 1);
}

TEST_CASE("a sweep that was killed while its worker answered holds up nobody") {
  const ScratchFolder scratch;
  const SweepGrid grid(small_sweep());
  const std::string path = scratch.path("store");
  ChildProcess sweep([&](int socket) {
    const Store store(path, identity_of(grid));
    const ChildProcess worker([](int) { ::pause(); });  // shares the open lock
    send_message(socket, "writing");
    ::pause();
  });
  CHECK(receive_message(sweep.socket()) == "writing");
  sweep.kill();
  sweep.wait();
  CHECK_NOTHROW(Store(path, identity_of(grid)));
}

TEST_CASE("stores of unequal sweeps do not merge, and nothing is left of the attempt") {
  const ScratchFolder scratch;
  QuestionText other = small_sweep();
  other.workload = "resnet50";
  const std::string one = swept(SweepGrid(small_sweep()), scratch.path("one"), {0, 4});
  const std::string two = swept(SweepGrid(other), scratch.path("two"), {1, 4});
  CHECK_THROWS_WITH(merge({one, two}, scratch.path("merged")), ContainsSubstring("is of another sweep"));
  CHECK_FALSE(std::filesystem::exists(scratch.path("merged")));
}

TEST_CASE("shards without one of them, or with one that was interrupted, are no sweep") {
  const ScratchFolder scratch;
  const SweepGrid grid(small_sweep());
  const std::string first = swept(grid, scratch.path("0"), {0, 3}), second = swept(grid, scratch.path("1"), {1, 3}),
                    third = swept(grid, scratch.path("2"), {2, 3});
  CHECK_THROWS_AS(merge({first, second}, scratch.path("merged")), Infeasible);
  CHECK_THROWS_WITH(merge({first, second}, scratch.path("merged")),
                    ContainsSubstring("3 of 12 points are missing") && ContainsSubstring("of shard 2/3"));
  CHECK_FALSE(std::filesystem::exists(scratch.path("merged")));
  Database(second, Database::Access::write).run("DELETE FROM rows WHERE point = 3");
  CHECK_THROWS_WITH(merge({first, second, third}, scratch.path("merged")),
                    ContainsSubstring("1 of 12 points are missing: a shard that was interrupted goes on"));
  CHECK_NOTHROW(merge({first, swept(grid, scratch.path("again"), {1, 3}), third}, scratch.path("merged")));
}

TEST_CASE("nothing is believed of a store that mlsim did not write so") {
  const ScratchFolder scratch;
  const SweepGrid grid(small_sweep());
  const std::string whole = swept(grid, scratch.path("whole"));
  const auto complaint = [&](const std::string& change) {
    const std::string path = scratch.path("changed");
    std::filesystem::copy_file(whole, path, std::filesystem::copy_options::overwrite_existing);
    Database(path, Database::Access::write).run(change);
    std::string first, second;
    try {
      for_each_row(path, [](const SweepRow&) {});
      store_contents(path);
    } catch (const InputError& e) {
      first = e.what();
    }
    try {  // a sweep that goes on reads it, too
      Store(path, identity_of(grid)).present(grid.points());
    } catch (const InputError& e) {
      second = e.what();
    }
    CHECK_THAT(first, ContainsSubstring(path));
    CHECK_THAT(second, ContainsSubstring(path));
    return first;
  };
  const std::string changed = "is not as mlsim wrote it";
  CHECK_THAT(complaint("UPDATE rows SET cost_usd = cost_usd / 2 WHERE point = 1"),
             ContainsSubstring("the row of point 1 " + changed));
  CHECK_THAT(complaint("UPDATE rows SET cost_usd = 9e999 WHERE point = 0"), ContainsSubstring(changed));
  CHECK_THAT(complaint("UPDATE rows SET mfu = 'high' WHERE point = 0"), ContainsSubstring(changed));
  CHECK_THAT(complaint("UPDATE rows SET status = 'weird' WHERE point = 0"), ContainsSubstring(changed));
  CHECK_THAT(complaint("INSERT INTO rows(point, topology, status, time_to_target_s) VALUES(99, 'dgx2', 'answered', 1)"),
             ContainsSubstring("the row of point 99 " + changed));
  CHECK_THAT(complaint("CREATE TRIGGER t AFTER INSERT ON rows BEGIN UPDATE rows SET cost_usd = 0.01; END"),
             ContainsSubstring("has a trigger \"t\""));
  CHECK_THAT(complaint("CREATE VIEW v AS SELECT 1"), ContainsSubstring("has a view \"v\""));
  CHECK_THAT(complaint("ALTER TABLE rows ADD COLUMN more REAL"), ContainsSubstring("other columns"));
  for (const char* axes : {"'{'", "'[1,2]'", "'{\"topology\":5}'", "''"})
    CHECK_THAT(complaint(std::string("UPDATE sweep SET value = ") + axes + " WHERE key = 'axes'"),
               ContainsSubstring("it is damaged"));
}

TEST_CASE("a column that rows do not have is a fault and no figure of 0") {
  const SweepRow refused{0, RowStatus::refused, "why", {}};
  CHECK_FALSE(number_in(refused, "step_time_s"));
  CHECK_THROWS_AS(number_in(refused, "steptime_s"), std::logic_error);
}

TEST_CASE("no column of a row has the name of a setting or word") {
  std::set<std::string> names{"point", "status", "reason"};
  for (const auto& [word, member] : question_words()) names.insert(word);
  for (const Option& option : option_table()) names.insert(option.key);
  for (const RowColumn& column : row_columns()) {
    INFO(column.name);
    CHECK(names.insert(column.name).second);
  }
}

TEST_CASE("the values of a sweep are looked at before anything is answered") {
  const auto complaint = [](const QuestionText& lists) -> std::string {
    try {
      SweepGrid{lists};
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  QuestionText lists = small_sweep();
  lists.topology = "dgx1-v100,dgx-a10";
  CHECK_THAT(complaint(lists), ContainsSubstring("dgx-a100"));
  lists = small_sweep();
  lists.settings = {"overlap=on,of"};
  CHECK_THAT(complaint(lists), ContainsSubstring("overlap=of:"));
  lists.settings = {"overlap=on", "overlap=off"};
  CHECK_THAT(complaint(lists), ContainsSubstring("given twice"));
  lists = small_sweep();
  lists.settings = {"teardown=0..99999+1 s", "checkpoint_interval=1..99999+1 s"};
  CHECK_THAT(complaint(lists), ContainsSubstring("more than 10000000 points"));
}
