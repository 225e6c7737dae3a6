
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"
#include "topologies/machine/accelerator_file.hpp"

namespace mlsim::topologies {
namespace {

std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0)
      words.back() += static_cast<char>(std::tolower(letter));
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool is_board(const std::string& word) {
  return word.starts_with("sxm") || word == "pcie" || word == "nvl" || word.ends_with("gb");
}

// The model of "rtx-2080-ti" is all of it, that of "h100-sxm5" its first word.
std::vector<std::string> model_of(const std::string& accelerator) {
  std::vector<std::string> words = words_in(accelerator);
  words.erase(std::find_if(words.begin() + 1, words.end(), is_board), words.end());
  return words;
}

enum class Spelling { whole, joined };  // "H100"; "dgxh100", "8xMI300X"

bool says(const std::vector<std::string>& words, const std::string& model, Spelling spelling) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return spelling == Spelling::whole ? word == model : word.ends_with(model);
  });
}

}  // namespace

std::vector<std::string> accelerators_of_device_name(const std::string& device) {
  const std::vector<std::string> words = words_in(device);
  for (const Spelling spelling : {Spelling::whole, Spelling::joined}) {
    std::size_t most = 0;  // words of the model: "RTX 2080 Ti" is no RTX 2080
    std::vector<std::string> found;
    for (const std::string& name : accelerator_names()) {
      const auto model = model_of(name);
      if (model.size() < most) continue;
      if (!std::all_of(model.begin(), model.end(), [&](const auto& word) { return says(words, word, spelling); }))
        continue;
      if (model.size() > most) found.clear();
      most = model.size();
      found.push_back(name);
    }
    if (!found.empty()) return found;
  }
  return {};
}

std::vector<std::string> accelerators_spelled(const std::string& word) {
  std::vector<std::string> words = words_in(word);
  std::erase_if(words, [](const std::string& each) {
    static const std::vector<std::string> makers{"nvidia",   "amd",    "intel",  "tesla", "geforce",
                                                 "instinct", "habana", "huawei", "gpu",   "gpus"};
    return each.starts_with("hbm") || std::find(makers.begin(), makers.end(), each) != makers.end();
  });
  std::vector<std::string> found;
  for (const std::string& name : accelerators_of_device_name(word)) {
    std::vector<std::string> known = words_in(name);
    for (const double unit : {0x1p30, 1e9})  // data sheets mean either
      known.push_back(fmt::format("{:.0f}gb", load_accelerator(name).memory.value / Bytes(unit)));
    const bool all = std::all_of(words.begin(), words.end(), [&](const std::string& each) {
      return std::any_of(known.begin(), known.end(), [&](const std::string& other) {
        return each == other || (each == "sxm" && other.starts_with("sxm"));
      });
    });
    if (all) found.push_back(name);
  }
  return found;
}

void check_device_name(const std::string& place, const std::string& device, const std::string& accelerator) {
  const auto known = accelerators_of_device_name(device);
  if (known.empty() || std::find(known.begin(), known.end(), accelerator) != known.end()) return;
  throw InputError(place, fmt::format("is of {}, which is {}, not of {}", in_quotes(device), fmt::join(known, " or "),
                                      in_quotes(accelerator)));
}

}  // namespace mlsim::topologies
