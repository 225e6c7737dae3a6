#include "calibrate/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/text/errors.hpp"
#include "core/text/text_file.hpp"

namespace mlsim::calibrate {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kJournalVersion = 1;

[[noreturn]] void refuse(const std::string& path, int error) {
  throw InputError(path, fmt::format("cannot be written: {}", std::generic_category().message(error)));
}

std::string identity_line(const JournalIdentity& identity) {
  return Json{{"journal", kJournalVersion},
              {"plan", identity.plan},
              {"machine", identity.machine},
              {"version", identity.version}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Throws where the first line of a journal is not that of this calibration.
void check_identity(const std::string& path, const std::string& line, const JournalIdentity& identity) {
  const Json found = Json::parse(line, nullptr, false);
  if (!found.is_object() || found.value("journal", Json()) != kJournalVersion)
    throw InputError(path, "is no journal of a calibration; --restart replaces it");
  const Json mine = Json::parse(identity_line(identity));
  const std::vector<std::pair<const char*, const char*>> parts{
      {"machine", "on another machine"}, {"version", "by another version"}, {"plan", "by another plan"}};
  for (const auto& [key, what] : parts) {
    if (found.value(key, Json()) != mine[key])
      throw InputError(path, fmt::format("was begun {}; finish that calibration with the options it was started with, "
                                         "or start anew with --restart",
                                         what));
  }
}

MeasureReply read_reply(const std::string& line, const std::string& place) {
  try {
    return reply_from_line(line, place);
  } catch (const InputError& e) {
    throw InputError(e.place(), e.reason() + "; the journal is damaged, --restart replaces it");
  }
}

// A link that somebody planted in a folder that others write to would have its target emptied.
void refuse_link(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_symlink(std::filesystem::symlink_status(path, error)))
    throw InputError(path, "is a symbolic link, which no journal of mlsim is; remove it, or choose another --output");
}

}  // namespace

Journal::Journal(std::string path, const JournalIdentity& identity, bool restart) : path_(std::move(path)) {
  refuse_link(path_);
  std::error_code error;
  const bool there = std::filesystem::is_regular_file(path_, error) && !restart;
  if (there) take_up(identity, read_text_file(path_));
  const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
  descriptor_ = ::open(path_.c_str(), flags | (there ? 0 : O_TRUNC), 0666);
  if (descriptor_ < 0) refuse(path_, errno);
  try {
    if (!there || std::filesystem::file_size(path_, error) == 0) write_line(identity_line(identity));
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

Journal::~Journal() { ::close(descriptor_); }

void Journal::take_up(const JournalIdentity& identity, const std::string& text) {
  std::size_t begin = 0;
  for (int number = 1; begin < text.size(); ++number) {
    const auto end = text.find('\n', begin);
    if (end == std::string::npos) break;
    const std::string line = text.substr(begin, end - begin);
    if (number == 1)
      check_identity(path_, line, identity);
    else
      replies_.push_back(read_reply(line, fmt::format("{}:{}", path_, number)));
    begin = end + 1;
  }
  // Text behind the last end of a line was cut off by a crash or a full disk.
  if (begin < text.size() && ::truncate(path_.c_str(), static_cast<off_t>(begin)) != 0) refuse(path_, errno);
}

void Journal::write_line(const std::string& line) {
  const std::string whole = line + "\n";
  std::size_t done = 0;
  while (done < whole.size()) {
    const auto written = ::write(descriptor_, whole.data() + done, whole.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse(path_, errno);
    done += static_cast<std::size_t>(written);
  }
}

void Journal::append(const MeasureReply& reply) { write_line(to_line(reply)); }

void Journal::remove() {
  std::error_code error;
  std::filesystem::remove(path_, error);  // what stays behind is refused or taken up by the next run
}

}  // namespace mlsim::calibrate
