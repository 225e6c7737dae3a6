# mlsim_folder(PATH [LINK targets...] [PRIVATE_LINK targets...] [EMBED subfolder [files...]] [FLAT] [QUICK]
#              [WITHOUT regex])
#
# One static library of all sources under the folder PATH: mlsim_calibrate_fit of calibrate/fit. FLAT leaves out those in
# folders below it, which are libraries of their own, WITHOUT the sources that match. QUICK compiles quickly. EMBED puts
# the files of PATH/subfolder, and those named behind it, into the library as text, found through
# generated/PATH_files.hpp.
function(mlsim_folder path)
  cmake_parse_arguments(arg "FLAT;QUICK" "WITHOUT" "EMBED;LINK;PRIVATE_LINK" ${ARGN})
  string(REPLACE "/" "_" name ${path})
  if(arg_FLAT)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${path}/*.cpp)
  else()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${path}/*.cpp)
  endif()
  if(arg_WITHOUT)
    list(FILTER sources EXCLUDE REGEX ${arg_WITHOUT})
  endif()
  if(NOT sources AND NOT arg_EMBED)
    add_library(mlsim_${name} INTERFACE)
    target_link_libraries(mlsim_${name} INTERFACE mlsim_options ${arg_LINK})
    return()
  endif()
  add_library(mlsim_${name} STATIC ${sources})
  target_link_libraries(mlsim_${name} PUBLIC mlsim_options ${arg_LINK} PRIVATE ${arg_PRIVATE_LINK})
  mlsim_precompile(mlsim_${name} mlsim_common)
  mlsim_unity_of_room(mlsim_${name} 60)
  if(arg_QUICK)
    mlsim_compile_quickly(mlsim_${name})
  endif()
  if(arg_EMBED)
    mlsim_embed(mlsim_${name} ${name} ${arg_EMBED})
  endif()
endfunction()

# All that is installed, and what of it measures on the host alone.
add_custom_target(mlsim_programs)
add_custom_target(mlsim_host_programs)

# mlsim_program(NAME SOURCE [targets...]): a program beside mlsim, which finds it there.
function(mlsim_program name source)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE ${ARGN})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/cli)
  add_dependencies(mlsim_programs ${name})
  if(name STREQUAL mlsim-cuda)
    install(TARGETS ${name} RUNTIME DESTINATION bin COMPONENT cuda)
  else()
    install(TARGETS ${name} RUNTIME DESTINATION bin)
    add_dependencies(mlsim_host_programs ${name})
  endif()
endfunction()
