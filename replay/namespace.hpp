// The names of the folders below are replay's own vocabulary: they need no qualification here.
#pragma once

namespace mlsim::replay {}
