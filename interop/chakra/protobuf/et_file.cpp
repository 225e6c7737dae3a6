#include "interop/chakra/execution_trace.hpp"

#include <fmt/format.h>

#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "chakra_et.pb.h"
#include "core/text/errors.hpp"
#include "interop/chakra/file_bytes.hpp"

namespace mlsim::interop {
namespace {

// Lengths are in base 128, the lowest seven bits first.
void append_length(std::string& bytes, std::size_t length) {
  for (; length >= 128; length /= 128) bytes += static_cast<char>(length % 128 + 128);
  bytes += static_cast<char>(length);
}

template <class Message>
void append(std::string& bytes, const Message& message) {
  append_length(bytes, message.ByteSizeLong());
  message.AppendToString(&bytes);
}

mlsim_chakra::AttributeProto& attribute(mlsim_chakra::Node& node, const char* name) {
  auto& added = *node.add_attr();
  added.set_name(name);
  return added;
}

void set_number(mlsim_chakra::Node& node, const char* name, std::int64_t value) {
  attribute(node, name).set_int64_val(value);
}

mlsim_chakra::Node et_message(const EtNode& node) {
  mlsim_chakra::Node message;
  message.set_id(node.id);
  message.set_name(node.name);
  message.set_type(static_cast<int>(node.kind));
  for (const std::uint64_t id : node.after) message.add_data_deps(id);
  message.set_duration_micros(node.duration_us);
  attribute(message, "is_cpu_op").set_bool_val(node.on_host);
  if (node.collective) set_number(message, "comm_type", static_cast<int>(*node.collective));
  if (node.kind == EtKind::send || node.kind == EtKind::receive) {
    // Chakra's own generator writes this type, and readers ask for no other.
    attribute(message, "comm_src").set_int32_val(static_cast<std::int32_t>(node.sender));
    attribute(message, "comm_dst").set_int32_val(static_cast<std::int32_t>(node.receiver));
    attribute(message, "comm_tag").set_int32_val(static_cast<std::int32_t>(node.tag));
  }
  if (node.kind >= EtKind::send) set_number(message, "comm_size", node.bytes);
  if (!node.group.empty()) attribute(message, "pg_name").set_string_val(node.group);
  if (node.element_bytes) set_number(message, "element_bytes", *node.element_bytes);
  return message;
}

// The reader takes the messages of a file one by one, with their places for errors.
class MessageReader {
 public:
  MessageReader(std::string path, const std::string& bytes) : path_(std::move(path)), bytes_(bytes) {}

  bool at_end() const { return at_ == bytes_.size(); }

  template <class Message>
  Message next(const char* what) {
    begin_ = at_;
    const std::uint64_t length = this->length();
    if (length > bytes_.size() - at_)
      refuse(fmt::format("a message of {} bytes does not fit into the {} that are left of the file", length,
                         bytes_.size() - at_));
    Message message;
    if (!message.ParseFromArray(bytes_.data() + at_, static_cast<int>(length)))
      refuse(fmt::format("is no {} of a Chakra execution trace", what));
    at_ += length;
    return message;
  }

  [[noreturn]] void refuse(const std::string& reason) const {
    throw InputError(path_, fmt::format("byte {}: {}", begin_, reason));
  }

 private:
  std::uint64_t length() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      if (at_ == bytes_.size()) refuse("the length of a message is cut off");
      const auto digit = static_cast<unsigned char>(bytes_[at_++]);
      value |= static_cast<std::uint64_t>(digit % 128) << shift;
      if (digit < 128 && value <= static_cast<std::uint64_t>(std::numeric_limits<int>::max())) return value;
      if (digit < 128) break;
    }
    refuse("the length of a message is more than 2 GB: is this a Chakra execution trace?");
  }

  std::string path_;
  const std::string& bytes_;
  std::size_t at_ = 0, begin_ = 0;
};

// Old writers differ in a number's type, so whichever is set counts.
std::optional<std::int64_t> number(const mlsim_chakra::AttributeProto& attribute) {
  switch (attribute.value_case()) {
    case mlsim_chakra::AttributeProto::kInt32Val: return attribute.int32_val();
    case mlsim_chakra::AttributeProto::kInt64Val: return attribute.int64_val();
    case mlsim_chakra::AttributeProto::kUint32Val: return attribute.uint32_val();
    case mlsim_chakra::AttributeProto::kUint64Val: return static_cast<std::int64_t>(attribute.uint64_val());
    default: return {};
  }
}

void read_attribute(EtNode& node, const mlsim_chakra::AttributeProto& attribute, const MessageReader& place) {
  const std::string& name = attribute.name();
  if (name == "is_cpu_op") node.on_host = attribute.bool_val() || number(attribute).value_or(0) != 0;
  if (name == "pg_name")
    node.group = attribute.value_case() == mlsim_chakra::AttributeProto::kStringVal
                     ? attribute.string_val()
                     : std::to_string(number(attribute).value_or(0));
  const auto value = number(attribute);
  if (!value) return;
  if (name == "comm_type") {
    if (*value < 0 || *value >= kEtCollectives)
      place.refuse(fmt::format("node {} (\"{}\"): comm_type {} is not known; 0 to {} are", node.id, node.name, *value,
                               kEtCollectives - 1));
    node.collective = static_cast<EtCollective>(*value);
  }
  if (name == "comm_size") node.bytes = *value;
  if (name == "comm_src") node.sender = *value;
  if (name == "comm_dst") node.receiver = *value;
  if (name == "comm_tag") node.tag = *value;
  if (name == "element_bytes") node.element_bytes = *value;
}

EtNode node_of(const mlsim_chakra::Node& message, const MessageReader& place) {
  EtNode node;
  node.id = message.id();
  node.name = message.name();
  if (message.type() < 0 || message.type() >= kEtKinds)
    place.refuse(fmt::format("node {} (\"{}\") is of type {}, which is not known; 0 to {} are", node.id, node.name,
                             message.type(), kEtKinds - 1));
  node.kind = static_cast<EtKind>(message.type());
  node.after.assign(message.data_deps().begin(), message.data_deps().end());
  for (const std::uint64_t id : message.ctrl_deps())
    if (std::find(node.after.begin(), node.after.end(), id) == node.after.end()) node.after.push_back(id);
  node.duration_us = message.duration_micros();
  for (const auto& attribute : message.attr()) read_attribute(node, attribute, place);
  if (node.kind == EtKind::collective && !node.collective)
    place.refuse(fmt::format("node {} (\"{}\") is a collective without comm_type", node.id, node.name));
  if (node.bytes < 0)
    place.refuse(fmt::format("node {} (\"{}\"): comm_size is {}, less than nothing", node.id, node.name, node.bytes));
  return node;
}

}  // namespace

std::string et_bytes(const ExecutionTrace& trace) {
  std::string bytes;
  mlsim_chakra::GlobalMetadata head;
  head.set_version(trace.version);
  append(bytes, head);
  for (const EtNode& node : trace.nodes) append(bytes, et_message(node));
  return bytes;
}

ExecutionTrace load_et(const std::string& path) {
  const google::protobuf::LogSilencer quiet;  // protobuf would tell stderr of names that are no UTF-8
  const std::string bytes = file_bytes(path);
  if (bytes.empty()) throw InputError(path, "is empty");
  MessageReader reader(path, bytes);
  ExecutionTrace trace;
  trace.version = reader.next<mlsim_chakra::GlobalMetadata>("GlobalMetadata").version();
  while (!reader.at_end()) trace.nodes.push_back(node_of(reader.next<mlsim_chakra::Node>("node"), reader));
  return trace;
}

}  // namespace mlsim::interop
