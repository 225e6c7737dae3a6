#include "core/files/transient_file.hpp"

#include <stdlib.h>  // mkdtemp

#include <system_error>

#include "core/text/errors.hpp"

namespace mlsim {

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
