// The Python module mlsim asks questions as the command line does and answers with dicts and columns.
#include <pybind11/pybind11.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "cli/options/prediction_options.hpp"
#include "cli/output/interruption.hpp"
#include "cli/output/result_capture.hpp"
#include "cli/program/program.hpp"
#include "cli/program/version.hpp"
#include "core/files/transient_file.hpp"
#include "core/process/workers.hpp"
#include "core/text/errors.hpp"
#include "studies/sweep/store.hpp"

namespace py = pybind11;

namespace mlsim::python {
namespace {

using Words = std::vector<std::string>;
using namespace studies;

// Runs one piece of work at a time, without Python's lock: its other threads go on meanwhile.
template <class Work>
auto alone(Work work) {
  static std::mutex one;
  const py::gil_scoped_release release;
  const std::lock_guard lock(one);
  return work();
}

// Raises what a handler of Python's raised meanwhile, else what Ctrl-C does.
[[noreturn]] void raise_interrupt() {
  if (PyErr_Occurred() == nullptr) PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw py::error_already_set();
}

// Has Python run its handlers of signals; what one raises stays with the thread until raise_interrupt().
bool handler_raised() {
  const py::gil_scoped_acquire held;
  return PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0;
}

// --- keywords become the words of a command line

[[noreturn]] void refuse_type(const std::string& name, const py::handle& value) {
  throw py::type_error(name + ": takes text or a number, not " +
                       py::str(py::type::handle_of(value).attr("__name__")).cast<std::string>());
}

// Numbers are those of numpy, too, and paths those of pathlib. True becomes "on", as settings are typed.
std::string word_of(const std::string& name, const py::handle& value) {
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "on" : "off";
  if (!py::isinstance<py::str>(value) && PyNumber_Check(value.ptr()) == 0 && !py::hasattr(value, "__fspath__"))
    refuse_type(name, value);
  return py::str(value);
}

bool is_list(const py::handle& value) { return py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value); }

// Several values of a word stand between bars.
std::string words_of_value(const std::string& name, const py::handle& value, bool lists) {
  if (!is_list(value)) return word_of(name, value);
  if (!lists) throw InputError(name, "is one value here; mlsim.sweep takes lists");
  std::string joined;
  for (const py::handle item : value) joined += (joined.empty() ? "" : "|") + word_of(name, item);
  return joined;
}

void add_option(Words& words, const std::string& option, const std::string& value) {
  if (value.empty()) throw InputError(option, "is empty");
  words.push_back(option + "=" + value);
}

// Adds an option that may be given several times: each item of a list, "key=value" of each item of a dict.
void add_several(Words& words, const std::string& name, const std::string& option, const py::handle& value,
                 bool lists) {
  if (py::isinstance<py::dict>(value)) {
    for (const auto& [key, of_key] : value.cast<py::dict>())
      add_option(words, option, py::str(key).cast<std::string>() + "=" + words_of_value(name, of_key, lists));
  } else if (is_list(value)) {
    for (const py::handle item : value) add_option(words, option, word_of(name, item));
  } else {
    add_option(words, option, word_of(name, value));
  }
}

// `lists` allows every word to have several values.
Words command_line(const std::string& command, const py::kwargs& keywords, bool lists) {
  Words words{command};
  const std::set<std::string> switches = cli::switches_of(command);
  for (const auto& [key, value] : keywords) {
    const std::string name = py::str(key);
    if (name == "help") throw InputError(name, "is help(mlsim.predict) in Python");
    if (name == "format" || name == "quiet" || (name == "output" && command != "sweep"))
      throw InputError(name, "is not for Python, which gets the values");
    std::string option = "--" + (name == "settings" ? "set" : name == "profiles" ? "profile" : name);
    std::replace(option.begin(), option.end(), '_', '-');
    if (value.is_none()) continue;
    if (switches.contains(option)) {
      if (!py::isinstance<py::bool_>(value)) throw py::type_error(name + ": is True or False");
      if (value.cast<bool>()) words.push_back(option);
    } else if (py::isinstance<py::bool_>(value)) {
      refuse_type(name, value);
    } else if (option == "--set" || option == "--profile" || option == "--price" || option == "--prices" ||
               option == "--merge") {
      add_several(words, name, option, value, lists);
    } else {
      add_option(words, option, words_of_value(name, value, lists));
    }
  }
  return words;
}

// --- questions and answers

py::object parsed(const std::string& json) { return py::module_::import("json").attr("loads")(json); }

// Returns what the command line would print; throws KeyboardInterrupt where somebody pressed Ctrl-C.
std::string answer(const Words& words) {
  cli::ResultCapture result;
  const int code = alone([&] { return cli::run_program(words); });
  if (cli::is_interrupted(code) || PyErr_Occurred() != nullptr) raise_interrupt();
  return result.text();
}

// Throws what an object says that is a refusal (core/result/refusal.schema.json).
py::dict unrefused(const py::dict& answered) {
  if (answered.contains("reason")) throw Infeasible(py::str(answered["reason"]));
  return answered;
}

// Gives the same from a process of its own, which Ctrl-C ends at any moment. What every answer reads is read here, once
// for all calls.
std::string answer_apart(const Words& words) {
  cli::read_builtin_figures();
  bool stopped = false;
  const std::string text = alone([&] {
    const cli::Interruption interruption;
    WorkerOptions how;
    how.process = "the process that answered";
    how.stopped = [&] { return interruption.requested(); };
    const auto work = [&](std::size_t) {
      cli::ResultCapture result;
      cli::run_program(words);
      return result.text();
    };
    try {
      return worker_outcomes(1, work, how).front().value();
    } catch (const WorkersStopped&) {
      stopped = true;
      return std::string();
    }
  });
  if (stopped) raise_interrupt();
  return text;
}

py::object predict(const py::kwargs& keywords) {
  Words words = command_line("predict", keywords, false);
  words.insert(words.end(), {"--format=json", "--quiet"});
  return unrefused(parsed(answer_apart(words)));
}

py::object plan(const py::kwargs& keywords) {
  Words words = command_line("plan", keywords, true);
  words.insert(words.end(), {"--format=json", "--quiet"});
  return unrefused(parsed(answer_apart(words)));
}

// --- a sweep's store as columns

py::object cell_value(const Cell& cell) {
  if (const auto* number = std::get_if<double>(&cell)) return py::float_(*number);
  if (const auto* text = std::get_if<std::string>(&cell)) return py::str(*text);
  return py::none();
}

bool is_count(const std::string& text) {
  return !text.empty() && text.size() < 16 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Values are as typed, "" being nothing; counts are numbers where all of an axis are.
py::object axis_value(const SweepAxis& axis, const std::string& value) {
  if (value.empty()) return py::none();
  if (std::all_of(axis.values.begin(), axis.values.end(), is_count)) return py::int_(std::stoll(value));
  return py::str(value);
}

py::dict columns_of(const std::string& store) {
  const std::vector<SweepAxis> axes = store_contents(store).identity.axes;
  py::dict columns;
  const auto column = [&](std::string name) -> py::list {
    std::replace(name.begin(), name.end(), '-', '_');
    if (!columns.contains(name.c_str())) columns[name.c_str()] = py::list();
    return columns[name.c_str()];
  };
  for_each_row(store, [&](const SweepRow& row) {
    column("point").append(row.point);
    const auto values = values_of_point(axes, row.point);
    for (std::size_t a = 0; a < axes.size(); ++a) column(axes[a].key).append(axis_value(axes[a], values[a]));
    column("status").append(std::string(name(row.status)));
    column("reason").append(row.reason.empty() ? py::object(py::none()) : py::str(row.reason));
    for (std::size_t c = 0; c < row_columns().size(); ++c)
      column(row_columns()[c].name).append(c < row.cells.size() ? cell_value(row.cells[c]) : py::none());
  });
  return columns;
}

py::dict sweep(const py::kwargs& keywords) {
  const TemporaryFolder folder;
  Words words = command_line("sweep", keywords, true);
  std::string store = folder.path("sweep.sqlite");
  if (keywords.contains("output"))
    store = py::str(keywords["output"]);
  else
    words.push_back("--output=" + store);
  words.insert(words.end(), {"--format=sqlite", "--quiet"});
  answer(words);
  return columns_of(store);
}

}  // namespace
}  // namespace mlsim::python

PYBIND11_MODULE(mlsim, module) {
  using namespace mlsim;
  module.doc() =
      "How long, how well and at what cost a model trains on a cluster.\n\n"
      "Keywords are the options of the command line (`mlsim predict --help`) with _ for -; settings={'price': "
      "'preemptible'}\n"
      "is --set, profiles=[...] is --profile. Wrong input raises ValueError with the nearest right word, and\n"
      "TypeError where it is of a wrong type.";
  cli::Interruption::also_ask(python::handler_raised);
  module.attr("__version__") = cli::program_version().number;
  py::register_exception<Infeasible>(module, "Infeasible").attr("__doc__") = "A plan that cannot work, and why.";
  py::register_exception<Unavailable>(module, "Unavailable").attr("__doc__") = "What this machine or build lacks.";
  py::register_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const InputError& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    }
  });
  module.def("predict", python::predict,
             "predict(topology=..., workload=..., ...): the dict that `mlsim predict --format json` prints.");
  module.def("sweep", python::sweep,
             "sweep(topology=[...], workload=..., ...): every combination, as a dict of columns (lists) that\n"
             "pandas.DataFrame takes. output='FILE.sqlite' keeps the rows, and a second call goes on with them.");
  module.def("plan", python::plan,
             "plan(workload=..., deadline='2h', budget=500, ...): the dict that `mlsim plan --format json` prints.");
}
