#include "opening_sentence.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

namespace mlsim::test {
namespace {

using Words = std::vector<std::string>;
using WordSet = std::set<std::string>;

WordSet words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

bool in(const WordSet& set, const std::string& word) { return set.count(word) > 0; }

// Verbs that are nothing else.
const WordSet kFinite = words_of(
    "is are was were has have had does do did can cannot may must will would should could adds agrees allows applies "
    "arranges asks assigns becomes begins belongs brings chooses collects comes compares computes consists contains "
    "converts corrects decides decodes defines depends describes differs divides draws encodes ensures estimates "
    "evaluates executes exists expects explains finds follows gathers gets gives goes happens includes interprets "
    "joins "
    "keeps knows lays learns leaves lets lies looks lowers makes minimises needs occurs parses predicts prevents "
    "produces "
    "provides receives refuses remains removes replaces represents returns says sees selects sends serves simulates "
    "solves stands stores suggests takes tells throws translates validates waits wants writes");
// Verbs that are plurals of nouns, too.
const WordSet kAmbiguous = words_of(
    "answers bounds builds changes checks closes copies costs counts cuts ends fits folds forms gates groups holds "
    "limits links lists loads locks maps marks means measures merges models moves names opens orders places plans "
    "points prices prints puts ranks reads rests reports runs samples scales schedules scores sets shares shows sorts "
    "splits starts states steps stops tests times traces turns uses walks works");
// Verbs of plurals: "tables give"; the second list only where an object follows.
const WordSet kPlural = words_of(
    "take keep go give follow need hold share mean begin end make leave stand lie depend wait ask tell say write send "
    "know differ add find look work belong contain return use turn show serve learn name cost move meet live count "
    "rest join pass exchange compute measure form lead start stop change agree describe decide choose become parse");
const WordSet kPluralWithObject = words_of("run read set put cut split map cause plan model list bound come");
const WordSet kNoVerb = words_of("besides always perhaps this its thus towards unless across");
const WordSet kArticles = words_of(
    "a an the its their his this these those every each all no one two three four any both some several many more "
    "fewer");
const WordSet kObjects = words_of(
    "what which how whether where when whatever whoever it them itself themselves nothing everything something only "
    "not never QUOTED");
const WordSet kPrepositions = words_of(
    "of in by with for from on at over between under inside to into beside besides behind without within among than "
    "per through against about along and or");
const WordSet kRelatives = words_of(
    "that which who whom whose where when while because until unless if what whatever how whether as so than why");
const WordSet kConjunctions = words_of("before after once since");
const WordSet kSubjects = words_of("it they people we you");
const WordSet kRelativeSubjects = words_of("that which who nobody everybody nothing everything it");

bool ends_with(const std::string& word, std::initializer_list<const char*> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](const char* ending) { return word.ends_with(ending); });
}

bool is_adjective(const std::string& word) { return ends_with(word, {"ed", "en", "est"}); }

bool ends_in_s(const std::string& word) {
  return word.size() > 3 && word.ends_with('s') && !ends_with(word, {"ss", "us", "is", "'s"}) && !in(kNoVerb, word);
}

bool takes_object(const std::string& next) { return in(kArticles, next) || in(kObjects, next); }

// Of a word in -s: whether what follows it is an object, and what precedes it no adjective.
bool is_verb_in_s(const std::string& previous, const std::string& word, const std::string& next) {
  if (in(kRelativeSubjects, previous)) return in(kAmbiguous, word) && !in(kPlural, next);
  if (in(kAmbiguous, word))
    return !next.empty() && !in(kPrepositions, next) && (!in(kRelatives, next) || in(kObjects, next)) &&
           !in(kFinite, next) && !in(kPlural, next) && !is_adjective(next);
  return !is_adjective(previous) && (takes_object(next) || (previous.empty() && ends_in_s(next)));
}

bool is_verb(const Words& words, std::size_t i) {
  const std::string &word = words[i], previous = i > 0 ? words[i - 1] : "",
                    next = i + 1 < words.size() ? words[i + 1] : "";
  if (previous == "to" || previous == "and" || previous == "or") return false;
  if (in(kFinite, word)) return true;
  if (in(kPrepositions, previous) || previous.ends_with("'s") || previous == "what" || previous == "how") return false;
  if (in(kArticles, previous)) return false;
  if (previous == "which" && i == 1) return false;  // "Which runs of a table"
  if (ends_in_s(word)) return is_verb_in_s(previous, word, next);
  const bool of_several = ends_in_s(previous) || in(kRelativeSubjects, previous) || (i == 1 && in(kSubjects, previous));
  return of_several && (in(kPlural, word) || (in(kPluralWithObject, word) && takes_object(next)));
}

// "That", "which", and "they" of "the bytes they move".
bool begins_relative(const Words& words, std::size_t i) {
  if (in(kRelatives, words[i])) return true;
  if (i == 0) return false;
  if (in(kConjunctions, words[i])) {
    for (std::size_t k = i + 1; k < words.size(); ++k)
      if (is_verb(words, k)) return true;
    return false;
  }
  return in(kSubjects, words[i]) && !in(kRelatives, words[i - 1]) && !in(kPrepositions, words[i - 1]) &&
         !is_verb(words, i - 1);
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// The words before the first comma or stop; "Without a stack, the spread ..." goes on behind its first comma.
Words first_clause(const std::string& comment) {
  static const std::regex aside(R"(\([^)]*\))"), quoted("`[^`]*`|\"[^\"]*\""), word(R"([A-Za-z][\w'/-]*|\d+)");
  std::string text = std::regex_replace(std::regex_replace(comment, aside, " "), quoted, " QUOTED ");
  const std::string first = lower(text.substr(0, text.find(' ')));
  const bool introduces = in(kPrepositions, first) || in(kConjunctions, first) ||
                          in(words_of("where when while because until unless if as"), first);
  std::smatch end;
  if (std::regex_search(text, end, std::regex(R"([;:.](\s|$))"))) text = end.prefix();
  const auto comma = text.find(", ");
  text = text.substr(0, introduces && comma != text.npos ? text.find(", ", comma + 1) : comma);
  Words words;
  for (auto each = std::sregex_iterator(text.begin(), text.end(), word); each != std::sregex_iterator(); ++each)
    words.push_back(each->str() == "QUOTED" ? each->str() : lower(each->str()));
  return words;
}

}  // namespace

bool is_sentence(const std::string& comment) {
  const Words words = first_clause(comment);
  int verbs = 0, relatives = 0;  // each relative clause has a verb of its own
  bool owed = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool past = words[i].ends_with("ed") && owed && !in(kArticles, words[i - 1]) &&
                      !in(kPrepositions, words[i - 1]) && words[i - 1] != "what" && words[i - 1] != "which";
    if (begins_relative(words, i)) {
      ++relatives;
      owed = true;
    } else if (is_verb(words, i) || past) {
      if (relatives == 0) return true;
      ++verbs;
      owed = false;
    }
  }
  return verbs > relatives;
}

std::string opening_comment(const TreeFile& file) {
  std::string text;
  for (const std::string& line : file.lines) {
    if (!line.starts_with("// ")) break;
    text += (text.empty() ? "" : " ") + line.substr(3);
  }
  return text;
}

OpeningSentences opening_sentences(const std::vector<TreeFile>& files) {
  OpeningSentences all;
  for (const TreeFile& file : files) {
    if (!file.is_header() || file.path.starts_with("tests/")) continue;
    ++all.headers;
    const std::string comment = opening_comment(file);
    if (!is_sentence(comment)) all.missing.push_back(file.path + ": " + comment.substr(0, 100));
  }
  return all;
}

}  // namespace mlsim::test
