#include "topologies/price/prices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text/document.hpp"
#include "core/text/errors.hpp"
#include "topologies/machine/machine_file.hpp"
#include "topologies/machine/sourced_figure.hpp"
#include "topologies_files.hpp"

namespace mlsim::topologies {
namespace {

PriceEntry read_price(const Document& document) {
  document.allow_only(
      {"resource", "unit", "regions", "from", "until", "on_demand", "preemptible", "provenance", "source"});
  PriceEntry entry;
  entry.resource = document.at("resource").text();
  entry.unit = document.at("unit").word("unit of price", {"accelerator", "node"});
  for (const auto& region : document.at("regions").items()) entry.regions.push_back(region.text());
  entry.from = read_dates(document.at("from")).first;
  if (document.has("until")) entry.until = read_dates(document.at("until")).last;
  if (document.has("on_demand")) entry.on_demand = read_bounded<UsdPerSecond>(document.at("on_demand"));
  if (document.has("preemptible")) entry.preemptible = read_bounded<UsdPerSecond>(document.at("preemptible"));
  entry.source = read_source(document);
  const std::string from = month_text(entry.from);
  entry.source.date = !entry.until                       ? from + " onward"
                      : month_text(*entry.until) == from ? from
                                                         : fmt::format("{} to {}", from, month_text(*entry.until));
  return entry;
}

/// Offers are what one line of the bill may cost: entries of the list, or the one price of the machine's own file.
struct Offers {
  const BillLine* line = nullptr;
  std::string region;                      // the region that is meant
  std::vector<const PriceEntry*> entries;  // empty: the file's own price
};

bool in_force(const PriceEntry& entry, const DateSpan& date) {
  return entry.from <= date.last && (!entry.until || date.first <= *entry.until);
}

bool has_region(const PriceEntry& entry, const std::string& region) {
  return std::find(entry.regions.begin(), entry.regions.end(), region) != entry.regions.end();
}

/// The newer price was asked for longer, then from a later day.
bool newer(const PriceEntry* a, const PriceEntry* b) {
  if (a->until.has_value() != b->until.has_value()) return !a->until;
  if (a->until != b->until) return *a->until > *b->until;
  return a->from > b->from;
}

/// Finds the entries in the region that is meant; empty where none has this kind of price anywhere.
std::optional<Offers> offers_of(const BillLine& line, const PriceQuestion& question) {
  Offers offers{&line, question.region.empty() ? line.region : question.region, {}};
  if (line.on_demand || line.preemptible) {
    const auto& own = question.kind == PriceKind::on_demand ? line.on_demand : line.preemptible;
    return own ? std::optional(offers) : std::nullopt;
  }
  std::vector<std::string> regions;
  for (const auto& entry : price_entries()) {
    if (entry.resource != line.resource || !entry.price(question.kind)) continue;
    offers.entries.push_back(&entry);
    for (const auto& region : entry.regions)
      if (std::find(regions.begin(), regions.end(), region) == regions.end()) regions.push_back(region);
  }
  if (offers.entries.empty()) return std::nullopt;
  if (offers.region.empty()) offers.region = regions.front();
  auto& entries = offers.entries;
  entries.erase(
      std::remove_if(entries.begin(), entries.end(), [&](const auto* e) { return !has_region(*e, offers.region); }),
      entries.end());
  if (entries.empty())
    throw InputError(fmt::format("no {} price of {} is known in the region {}; known are {}", name(question.kind),
                                 line.resource, offers.region, fmt::join(regions, ", ")));
  return offers;
}

bool all_in_force(const std::vector<Offers>& offers, const DateSpan& date) {
  return std::all_of(offers.begin(), offers.end(), [&](const Offers& o) {
    return o.entries.empty() ||
           std::any_of(o.entries.begin(), o.entries.end(), [&](const auto* e) { return in_force(*e, date); });
  });
}

/// Names the last month before `date` and the first one after it in which every part has a price.
std::string nearest_dates(const std::vector<Offers>& offers, const DateSpan& date) {
  std::optional<Day> before, after;
  const auto consider = [&](const Day& day) {
    if (!all_in_force(offers, {day, day})) return;
    if (day < date.first && (!before || day > *before)) before = day;
    if (day > date.last && (!after || day < *after)) after = day;
  };
  for (const auto& offer : offers) {
    for (const auto* entry : offer.entries) {
      consider(entry->from);
      if (entry->until) consider(*entry->until);
    }
  }
  if (before && after)
    return fmt::format("the nearest dates with one are {} and {}", month_text(*before), month_text(*after));
  if (before || after) return fmt::format("the nearest date with one is {}", month_text(before ? *before : *after));
  return "its parts were never priced at one time";
}

std::string date_text(const DateSpan& date) {
  return date.first == date.last
             ? fmt::format("{}-{:02}", month_text(date.first), static_cast<unsigned>(date.first.day()))
             : month_text(date.first);
}

// Writes "0.0475 USD/h": all digits that prices have.
std::string price_text(UsdPerSecond price) { return fmt::format("{:.6g} USD/h", price.value * 3600); }

/// Puts the parts together into what the answer says.
class Sum {
 public:
  explicit Sum(const PriceQuestion& question) : question_(question) {}

  void add(const BillLine& line, UsdPerSecond price, const Source& source, const std::string& region) {
    total_.value += line.count * price;
    total_.source.provenance = std::max(total_.source.provenance, source.provenance);
    parts_.push_back({NamedQuantity{"count", "1", line.count, fmt::format("{:g}", line.count)}, " x ",
                      named("resource", line.resource), " at ",
                      NamedQuantity{"price", "USD/s", price.value, fmt::format("{:.6g}", price.value * 3600)}});
    sources_.push_back(line.resource + ": " + source.source);
    if (!source.date.empty()) dates_.emplace_back(line.resource, source.date);
    if (!region.empty() && std::find(regions_.begin(), regions_.end(), region) == regions_.end())
      regions_.push_back(region);
  }

  SystemPrice price() const {
    SystemPrice result = total_;
    result.what = {NamedQuantity{"price_of_all", "USD/s", total_.value.value, price_text(total_.value)}, " ",
                   named("kind", name(question_.kind))};
    for (std::size_t i = 0; i < regions_.size(); ++i)
      result.what.add(i == 0 ? ", " : " and ", named("region", regions_[i]));
    result.what.add(": ", joined(parts_, " + "));
    result.source.source = fmt::format("{}", fmt::join(sources_, "; "));
    const bool one_date =
        std::all_of(dates_.begin(), dates_.end(), [&](const auto& d) { return d.second == dates_.front().second; });
    for (const auto& [resource, date] : dates_) {
      if (one_date) {
        result.source.date = date;
        break;
      }
      result.source.date += fmt::format("{}{}: {}", result.source.date.empty() ? "" : "; ", resource, date);
    }
    return result;
  }

 private:
  const PriceQuestion& question_;
  SystemPrice total_{UsdPerSecond(), {}, Source{Provenance::measured, "", ""}};
  std::vector<Statement> parts_;
  std::vector<std::string> sources_, regions_;
  std::vector<std::pair<std::string, std::string>> dates_;
};

}  // namespace

const std::vector<PriceEntry>& price_entries() {
  static const std::vector<PriceEntry> all = [] {
    std::vector<PriceEntry> entries;
    for (const auto& item :
         Document::embedded(file_at(topologies_files(), "prices.yaml"), "prices.yaml").at("prices").items())
      entries.push_back(read_price(item));
    return entries;
  }();
  return all;
}

std::vector<std::string> price_regions() {
  std::vector<std::string> all;
  for (const auto& entry : price_entries()) {
    for (const auto& region : entry.regions)
      if (std::find(all.begin(), all.end(), region) == all.end()) all.push_back(region);
  }
  return all;
}

std::vector<std::string> unpriced_machines() {
  std::vector<std::string> names;
  for (const auto& machine : catalogue_machines())
    if (machine.bill.empty()) names.push_back(machine.name);
  return names;
}

std::optional<SystemPrice> system_price(const Cluster& cluster, const PriceQuestion& question) {
  const std::vector<BillLine> bill = bill_with(question.own, cluster, question.kind, question.date, question.region);
  std::vector<Offers> offers;
  for (const auto& line : bill) {
    const auto offer = offers_of(line, question);
    if (!offer) return std::nullopt;
    offers.push_back(*offer);
  }
  if (offers.empty()) return std::nullopt;
  if (question.date && !all_in_force(offers, *question.date))
    throw InputError(fmt::format("no {} price of {} is on record for {}; {}", name(question.kind), cluster.name,
                                 date_text(*question.date), nearest_dates(offers, *question.date)));
  Sum sum(question);
  for (const auto& offer : offers) {
    const BillLine& line = *offer.line;
    if (offer.entries.empty()) {
      sum.add(line, question.kind == PriceKind::on_demand ? *line.on_demand : *line.preemptible, line.source, "");
      continue;
    }
    std::vector<const PriceEntry*> then = offer.entries;
    if (question.date) {
      then.erase(std::remove_if(then.begin(), then.end(), [&](const auto* e) { return !in_force(*e, *question.date); }),
                 then.end());
    }
    const PriceEntry& entry = **std::min_element(then.begin(), then.end(), newer);
    Source source = line.source.source.empty() ? entry.source : line.source;
    source.date = entry.source.date;
    source.provenance = std::max(source.provenance, entry.source.provenance);
    sum.add(line, *entry.price(question.kind), source, offer.region);
  }
  return sum.price();
}

}  // namespace mlsim::topologies
