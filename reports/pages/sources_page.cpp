#include "reports/pages/pages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "reports/validation/value_text.hpp"

namespace mlsim::reports {
namespace {

constexpr std::array kWays{AskedWay::best, AskedWay::plain};
constexpr std::array kVerdicts{SourceVerdict::works,           SourceVerdict::near,   SourceVerdict::off,
                               SourceVerdict::not_expressible, SourceVerdict::anchor, SourceVerdict::answered};
constexpr const char* kAll = "all";

/// The item asked both ways; empty where a way is not asked.
using BothWays = std::array<const ItemScore*, kWays.size()>;

std::vector<BothWays> both_ways(const std::vector<ItemScore>& items) {
  std::vector<BothWays> found;
  std::map<std::string, std::size_t> places;
  for (const ItemScore& item : items) {
    const auto [place, fresh] = places.emplace(item.item, found.size());
    if (fresh) found.push_back({});
    found[place->second][static_cast<std::size_t>(item.way)] = &item;
  }
  return found;
}

const ItemScore& any_of(const BothWays& item) { return item[0] != nullptr ? *item[0] : *item[1]; }

std::vector<std::string> documents_of(const std::vector<ItemScore>& items) {
  std::vector<std::string> documents;
  for (const ItemScore& item : items)
    if (std::find(documents.begin(), documents.end(), item.document) == documents.end())
      documents.push_back(item.document);
  return documents;
}

Table counts_table(const std::vector<ItemScore>& items) {
  Table table{"counts", "Items by document", {name_column("document"), name_column("asked")}};
  for (const SourceVerdict verdict : kVerdicts) table.columns.push_back({std::string(name(verdict)), "1"});
  table.columns.push_back({"items", "1"});
  std::vector<std::string> documents = documents_of(items);
  documents.emplace_back(kAll);
  for (const std::string& document : documents) {
    for (const AskedWay way : kWays) {
      TableCells row{document, name(way)};
      const auto counts = [&](const ItemScore& item) {
        return item.way == way && (document == kAll || item.document == document);
      };
      for (const SourceVerdict verdict : kVerdicts)
        row.push_back(count_cell(static_cast<double>(std::count_if(
            items.begin(), items.end(), [&](const auto& item) { return counts(item) && item.verdict() == verdict; }))));
      row.push_back(count_cell(static_cast<double>(std::count_if(items.begin(), items.end(), counts))));
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

// A constant that two documents set counts once in all.
Table constants_table(const std::vector<ItemScore>& items, const std::vector<Profile>& profiles) {
  Table table{"constants",
              "Inputs and the constants that they set",
              {name_column("document"), {"inputs", "1"}, {"constants", "1"}, {"which"}}};
  const auto add = [&](const std::string& document, const SourceConstants& found, const std::string& which) {
    table.rows.push_back({document, count_cell(found.inputs), count_cell(found.constants), which});
  };
  SourceConstants all;
  for (const std::string& document : documents_of(items)) {
    const SourceConstants found = source_constants(items, document, profiles);
    add(document, found, fmt::format("{}", fmt::join(found.names, ", ")));
    all += found;
  }
  all.constants = 0;
  for (const std::string& name : all.names) all.constants += constants_in(name, profiles);
  add(kAll, all, "");
  return table;
}

std::string comes_text(const SourceScore& figure) {
  if (!figure.comes) return "-";
  if (figure.what.kind == SourceKind::claim || figure.what.kind == SourceKind::refused)
    return *figure.comes != 0 ? "yes" : "no";
  return fmt::format("{:.4g}", *figure.comes);
}

template <class Text>
std::string joined(const ItemScore* item, Text text) {
  std::vector<std::string> words;
  if (item != nullptr)
    for (const SourceScore& figure : item->figures) words.push_back(text(figure));
  return fmt::format("{}", fmt::join(words, " / "));
}

std::string stated_text(const SourceScore& figure) {
  if (figure.what.kind == SourceKind::claim) return "yes";
  if (figure.what.kind == SourceKind::refused) return "no";
  if (!figure.what.published) return "-";
  return fmt::format("{:.4g}{}", *figure.what.published, figure.what.anchor ? " (input)" : "");
}

std::string miss_text(const SourceScore& figure) {
  return figure.error() ? fmt::format("{:+.1f}", 100 * *figure.error()) : "-";
}

Table items_table(const std::string& document, const std::vector<BothWays>& items) {
  Table table{document,
              document,
              {{"what it says"},
               {"published"},
               {"best way"},
               {"error, %"},
               {"verdict"},
               {"plain way"},
               {"error, %"},
               {"verdict"}}};
  for (const BothWays& item : items) {
    if (any_of(item).document != document) continue;
    TableCells row{any_of(item).says, joined(&any_of(item), stated_text)};
    for (const ItemScore* way : item) {
      row.emplace_back(joined(way, comes_text));
      row.emplace_back(joined(way, miss_text));
      row.emplace_back(way == nullptr ? std::string() : std::string(name(way->verdict())));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

bool falls_short(const ItemScore* item) {
  if (item == nullptr) return false;
  const SourceVerdict verdict = item->verdict();
  return verdict == SourceVerdict::near || verdict == SourceVerdict::off || verdict == SourceVerdict::not_expressible;
}

std::vector<std::string> causes_of(const std::vector<BothWays>& items) {
  std::vector<std::string> sentences;
  for (const BothWays& item : items) {
    if (!falls_short(item[0]) && !falls_short(item[1])) continue;
    const auto cause = source_causes().find(any_of(item).item);
    sentences.push_back(
        fmt::format("{}: {}", any_of(item).says, cause == source_causes().end() ? "no cause known" : cause->second));
  }
  return sentences;
}

std::vector<std::string> refusals(const std::vector<ItemScore>& items) {
  std::vector<std::string> sentences;
  for (const ItemScore& item : items)
    for (const SourceScore& figure : item.figures)
      if (figure.verdict() == SourceVerdict::not_expressible)
        sentences.push_back(fmt::format("{}, asked {}: {}", item.says, name(item.way), figure.refusal));
  sentences.erase(std::unique(sentences.begin(), sentences.end()), sentences.end());
  return sentences;
}

}  // namespace

Page sources_page(const std::vector<ItemScore>& items, const std::vector<Profile>& profiles) {
  Page page{
      "What the sources say",
      {"Generated by mlsim validate sources; do not edit. The best way names all that the document tells, the "
       "plain one what somebody types who has just read it, with the year where the sentence is of another year than "
       "its document. An item works within 10 % or where its claim holds, "
       "is near within 25 %, and goes by most of its figures; one where nothing is published has only to be "
       "answered. A figure that a constant of mlsim was made of is an input and does not count. Commands, "
       "expressions and citations stand in validation/published/sources.csv."},
      {},
      ""};
  page.add({PageTable{counts_table(items)}});
  page.add({PageTable{constants_table(items, profiles)}});
  const std::vector<BothWays> both = both_ways(items);
  for (const std::string& document : documents_of(items))
    page.sections.push_back({document, document, {PageTable{items_table(document, both)}}});
  if (auto sentences = causes_of(both); !sentences.empty())
    page.sections.push_back({"causes", "What is near or off, and why", {PageList{std::move(sentences), false}}});
  if (auto sentences = refusals(items); !sentences.empty())
    page.sections.push_back({"refusals", "What cannot be asked", {PageList{std::move(sentences), false}}});
  return page;
}

}  // namespace mlsim::reports
