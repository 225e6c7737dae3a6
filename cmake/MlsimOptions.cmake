# Warnings, sanitizers and what differs between the supported distributions.
add_library(mlsim_options INTERFACE)
# C++ alone: nvcc knows none of these. gcc 12 warns wrongly on std::string (-Wno-restrict; gcc bug 105651). Names of
# unnamed namespaces are seen by the neighbours that a source is compiled with: shadowing one of them says nothing.
set(MLSIM_WARNINGS -Wall -Wextra -Wpedantic -Wconversion $<IF:$<CXX_COMPILER_ID:GNU>,-Wshadow=local,-Wshadow>
    -Wno-sign-conversion -Wno-restrict)
target_compile_options(mlsim_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${MLSIM_WARNINGS}>")
target_include_directories(mlsim_options INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)

# For what is timed on the machine that is measured, and for what an answer spends its time on.
function(mlsim_optimise target)
  target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O2>)
endfunction()

option(MLSIM_WERROR "Treat warnings as errors" OFF)
if(MLSIM_WERROR)
  target_compile_options(mlsim_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()

option(MLSIM_ASSERTIONS "Assertions of mlsim, Boost and the standard library in optimised builds, too" OFF)
if(MLSIM_ASSERTIONS)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-UNDEBUG;-D_GLIBCXX_ASSERTIONS>")
endif()

option(MLSIM_SANITIZE "Build with the address and undefined-behaviour sanitizers" OFF)
if(MLSIM_SANITIZE)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined;-fno-sanitize-recover=all;-fno-omit-frame-pointer>")
  add_link_options(-fsanitize=address,undefined)
endif()

# clang's -fsanitize=undefined leaves out a double too large for its integer. Warnings are gcc's.
option(MLSIM_FUZZ "Build the readers of tests/fuzz for libFuzzer, which needs clang, and nothing else" OFF)
if(MLSIM_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined,float-cast-overflow -fno-sanitize-recover=all
                      -fno-omit-frame-pointer -w)
  add_link_options(-fsanitize=address,undefined)
endif()

# The libraries become a Python module, too. Programs are compiled alike, since they share precompiled headers; no
# function of ours is ever replaced from outside, so calls stay direct.
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fPIC;-fno-semantic-interposition>")

find_program(MLSIM_CCACHE ccache)
if(MLSIM_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${MLSIM_CCACHE})
endif()

# mold where it is and the compiler knows it (gcc from version 12 on).
include(CheckLinkerFlag)
find_program(MLSIM_MOLD mold)
if(MLSIM_MOLD)
  check_linker_flag(CXX -fuse-ld=mold MLSIM_USES_MOLD)
endif()
if(MLSIM_USES_MOLD)
  add_link_options($<$<LINK_LANGUAGE:CXX>:-fuse-ld=mold>)
endif()

# yaml-cpp names its target yaml-cpp before 0.8 and yaml-cpp::yaml-cpp since.
set(MLSIM_YAML_CPP $<IF:$<TARGET_EXISTS:yaml-cpp::yaml-cpp>,yaml-cpp::yaml-cpp,yaml-cpp>)
