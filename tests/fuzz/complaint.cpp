#include <fmt/format.h>

#include <array>
#include <exception>
#include <new>
#include <typeinfo>

#include "core/text/errors.hpp"
#include "fuzzed_reader.hpp"

namespace mlsim::test {
namespace {

// A sentence names a file, a place, a word of at most 80 characters and the nearest right ones.
constexpr std::size_t kLongestSentence = 1000;
// What libraries say, and would say to nobody who wrote the file.
constexpr std::array kForeignWords{"json.exception", "yaml-cpp", "basic_string", "std::", "stoi", "stod", "bad_alloc"};

std::string wrong_with(std::string_view sentence, std::string_view input) {
  if (sentence.empty()) return "says nothing";
  if (sentence.size() > kLongestSentence) return fmt::format("takes {} bytes to say it", sentence.size());
  for (const char* word : kForeignWords)
    if (sentence.find(word) != std::string_view::npos && input.find(word) == std::string_view::npos)
      return fmt::format("has a library's words, {}", word);
  return "";
}

std::string refusal(const std::exception& error, std::string_view input) {
  const std::string wrong = wrong_with(error.what(), input);
  return wrong.empty() ? "" : fmt::format("its sentence {}: {}", wrong, error.what());
}

}  // namespace

std::string complaint(const FuzzedReader& reader, const std::string& bytes) {
  try {
    reader.read(bytes);
  } catch (const InputError& e) {
    return refusal(e, bytes);
  } catch (const Unavailable& e) {
    return refusal(e, bytes);
  } catch (const std::bad_alloc&) {
    return "it asks for more memory than there is";
  } catch (const std::exception& e) {
    return fmt::format("it throws {}: {}", typeid(e).name(), e.what());
  }
  return "";
}

}  // namespace mlsim::test
