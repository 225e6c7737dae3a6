#include "core/files/transient_file.hpp"

#include <stdlib.h>  // mkdtemp
#include <unistd.h>

#include <array>
#include <atomic>
#include <system_error>
#include <utility>

#include "core/text/errors.hpp"

namespace mlsim {
namespace {

// A signal that ends the process removes at most this many files; any further one stays.
constexpr std::size_t kMostTransient = 32;

std::array<std::atomic<const char*>, kMostTransient> transient_names{};

std::size_t place_of(const char* name) {
  for (std::size_t place = 0; place < kMostTransient; ++place) {
    const char* nobody = nullptr;
    if (transient_names[place].compare_exchange_strong(nobody, name)) return place;
  }
  return kMostTransient;
}

}  // namespace

TransientFile::TransientFile(std::string name) : name_(std::move(name)), place_(place_of(name_.c_str())) {}

TransientFile::~TransientFile() {
  if (mine_) ::unlink(name_.c_str());
  let_go();
}

void TransientFile::let_go() {
  if (mine_ && place_ < kMostTransient) transient_names[place_] = nullptr;
  mine_ = false;
}

void remove_transient_files() {
  for (const auto& name : transient_names)
    if (const char* file = name) ::unlink(file);
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "mlsim-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw MachineFailed(name + ": cannot be made");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

}  // namespace mlsim
