// A file of a machine or accelerator may be `like` one of the catalogue, and then says only what differs.
#pragma once

#include <string_view>

#include "core/text/document.hpp"

namespace mlsim::topologies {

/// Lays the document over the catalogue's file of this folder ("machines") that its key `like` names: maps below merge,
/// figures and lists are whole. Without the key it is the document itself. Throws InputError where there is no such
/// file, or that is like a third.
Document with_likeness(const Document& document, std::string_view folder);

}  // namespace mlsim::topologies
