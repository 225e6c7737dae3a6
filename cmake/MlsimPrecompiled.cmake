# What nearly every source includes, parsed once: the standard library, fmt and Boost.Graph; for tests Catch2 as well.
# Targets must agree on the definitions that these headers see, so mlsim_options carries those of fmt and Boost.
# A source still includes what it uses, so that it compiles with MLSIM_PRECOMPILED=OFF, too.
option(MLSIM_PRECOMPILED "Parse the headers that nearly every source includes once" ON)

set(MLSIM_COMMON_HEADERS
    <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <filesystem> <fstream> <functional> <limits> <map> <memory>
    <numeric> <optional> <set> <sstream> <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector>
    <fmt/format.h> <fmt/ranges.h> <boost/graph/compressed_sparse_row_graph.hpp>)

target_link_libraries(mlsim_options INTERFACE fmt::fmt Boost::headers)

# mlsim_precompiled(NAME [LINK targets...] HEADERS headers...): headers that targets reuse by mlsim_precompile.
function(mlsim_precompiled name)
  cmake_parse_arguments(arg "" "" "LINK;HEADERS" ${ARGN})
  if(NOT MLSIM_PRECOMPILED)
    return()
  endif()
  file(WRITE ${CMAKE_BINARY_DIR}/generated/${name}.cpp "// What owns the precompiled headers.\n")
  add_library(${name} STATIC ${CMAKE_BINARY_DIR}/generated/${name}.cpp)
  target_link_libraries(${name} PUBLIC mlsim_options ${arg_LINK})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

# mlsim_precompile(TARGET NAME): TARGET reuses the headers NAME, with which it must share all compiler flags but -O: it
# may be optimised less than they. Where it is optimised more, gcc 12 fails.
function(mlsim_precompile target name)
  if(TARGET ${name})
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()
