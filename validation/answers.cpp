#include "validation/answers.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <exception>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>

namespace mlsim::validation {
namespace {

using Predictor = std::function<Prediction(const PredictRequest&)>;
using Progress = std::function<void(int, int)>;

Answer answer(const PredictRequest& question, const Predictor& predictor) {
  try {
    return {predictor(question), {}};
  } catch (const std::exception& e) {
    return {std::nullopt, e.what()};
  }
}

// One line of JSON for each answer, so that the parent can read them as they come.
std::string to_line(std::size_t index, const Answer& answer) {
  nlohmann::json line{{"index", index}};
  if (answer.prediction)
    line["prediction"] = to_json(*answer.prediction);
  else
    line["refusal"] = answer.refusal;
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void write_all(int file, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(file, text.data() + at, text.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);  // the parent is gone
    at += static_cast<std::size_t>(written);
  }
}

// A forked process that answers every `step`-th question from `first` on.
struct Worker {
  pid_t id = 0;
  int pipe = -1;
  std::string unread;
};

Worker start(std::size_t first, std::size_t step, const std::vector<PredictRequest>& questions,
             const Predictor& predictor) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const pid_t id = ::fork();
  if (id < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (id == 0) {
    ::close(ends[0]);
    for (std::size_t i = first; i < questions.size(); i += step)
      write_all(ends[1], to_line(i, answer(questions[i], predictor)));
    _exit(0);
  }
  ::close(ends[1]);
  return {id, ends[0], {}};
}

Answer answer_in(const nlohmann::json& line) {
  if (line.contains("refusal")) return {std::nullopt, line.at("refusal").get<std::string>()};
  return {prediction_from_json(line.at("prediction").get<std::string>(), "answer"), {}};
}

// Reads what is there; false once the worker has closed its end.
bool read_some(Worker& worker, std::vector<std::optional<Answer>>& out) {
  std::array<char, 1 << 16> buffer;
  const ssize_t count = ::read(worker.pipe, buffer.data(), buffer.size());
  if (count < 0 && errno == EINTR) return true;
  if (count <= 0) return false;
  worker.unread.append(buffer.data(), static_cast<std::size_t>(count));
  for (auto end = worker.unread.find('\n'); end != std::string::npos; end = worker.unread.find('\n')) {
    const auto line = nlohmann::json::parse(worker.unread.substr(0, end));
    worker.unread.erase(0, end + 1);
    out[line.at("index").get<std::size_t>()] = answer_in(line);
  }
  return true;
}

void finish(Worker& worker) {
  ::close(worker.pipe);
  worker.pipe = -1;
  int status = 0;
  while (::waitpid(worker.id, &status, 0) < 0 && errno == EINTR) continue;
}

void collect(std::vector<Worker>& workers, std::vector<std::optional<Answer>>& out, const Progress& progress) {
  while (true) {
    std::vector<pollfd> open;
    for (const Worker& w : workers)
      if (w.pipe >= 0) open.push_back({w.pipe, POLLIN, 0});
    if (open.empty()) return;
    if (::poll(open.data(), open.size(), -1) < 0 && errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "poll");
    for (const pollfd& ready : open) {
      if (ready.revents == 0) continue;
      Worker& worker =
          *std::find_if(workers.begin(), workers.end(), [&](const Worker& w) { return w.pipe == ready.fd; });
      if (!read_some(worker, out)) finish(worker);
    }
    const auto done = std::count_if(out.begin(), out.end(), [](const auto& a) { return a.has_value(); });
    if (progress) progress(static_cast<int>(done), static_cast<int>(out.size()));
  }
}

}  // namespace

std::vector<Answer> answers(const std::vector<PredictRequest>& questions, const Predictor& predictor, int workers,
                            const Progress& progress) {
  std::vector<Answer> out;
  const int all = static_cast<int>(questions.size());
  if (workers == 0) workers = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  workers = std::min(workers, all);
  if (workers <= 1) {
    for (const PredictRequest& question : questions) {
      out.push_back(answer(question, predictor));
      if (progress) progress(static_cast<int>(out.size()), all);
    }
    return out;
  }

  std::vector<Worker> running;
  for (int w = 0; w < workers; ++w)
    running.push_back(start(static_cast<std::size_t>(w), static_cast<std::size_t>(workers), questions, predictor));
  std::vector<std::optional<Answer>> found(questions.size());
  collect(running, found, progress);
  for (auto& a : found)
    out.push_back(a ? std::move(*a) : Answer{std::nullopt, "the process that predicted it ended without an answer"});
  return out;
}

}  // namespace mlsim::validation
