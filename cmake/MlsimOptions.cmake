# Warnings, sanitizers and what differs between the supported distributions.
add_library(mlsim_options INTERFACE)
target_compile_options(mlsim_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wno-sign-conversion
                       -Wno-restrict)  # gcc 12 warns wrongly on std::string (gcc bug 105651)
target_include_directories(mlsim_options INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)

option(MLSIM_WERROR "Treat warnings as errors" OFF)
if(MLSIM_WERROR)
  target_compile_options(mlsim_options INTERFACE -Werror)
endif()

option(MLSIM_SANITIZE "Build with the address and undefined-behaviour sanitizers" OFF)
if(MLSIM_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

find_program(MLSIM_CCACHE ccache)
if(MLSIM_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${MLSIM_CCACHE})
endif()

# yaml-cpp names its target yaml-cpp before 0.8 and yaml-cpp::yaml-cpp since.
set(MLSIM_YAML_CPP $<IF:$<TARGET_EXISTS:yaml-cpp::yaml-cpp>,yaml-cpp::yaml-cpp,yaml-cpp>)
