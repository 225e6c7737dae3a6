#include "interop/chakra/file_bytes.hpp"

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "core/text/errors.hpp"

namespace mlsim::interop {

std::string file_bytes(const std::string& path) {
  errno = 0;
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) throw InputError(path, std::string("cannot be read: ") + std::strerror(errno));
  std::string bytes;
  std::vector<char> block(1 << 20);
  for (;;) {
    const int size = gzread(file.get(), block.data(), static_cast<unsigned>(block.size()));
    int code = Z_OK;
    const char* const reason = gzerror(file.get(), &code);
    if (code == Z_ERRNO) throw InputError(path, std::string("cannot be read: ") + std::strerror(errno));
    if (size < 0 || code != Z_OK) throw InputError(path, std::string("is cut or damaged as gzip: ") + reason);
    if (size == 0) return bytes;
    bytes.append(block.data(), static_cast<std::size_t>(size));
  }
}

}  // namespace mlsim::interop
