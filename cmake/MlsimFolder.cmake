# mlsim_folder(NAME [LINK targets...] [PRIVATE_LINK targets...] [EMBED subfolder])
#
# One static library mlsim_NAME of all sources under the folder NAME. EMBED puts the files of NAME/subfolder into the
# library as text, found through generated/NAME_files.hpp.
function(mlsim_folder name)
  cmake_parse_arguments(arg "" "EMBED" "LINK;PRIVATE_LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${name}/*.cpp)
  if(NOT sources AND NOT arg_EMBED)
    add_library(mlsim_${name} INTERFACE)
    target_link_libraries(mlsim_${name} INTERFACE mlsim_options ${arg_LINK})
    return()
  endif()
  add_library(mlsim_${name} STATIC ${sources})
  target_link_libraries(mlsim_${name} PUBLIC mlsim_options ${arg_LINK} PRIVATE ${arg_PRIVATE_LINK})
  if(arg_EMBED)
    mlsim_embed(mlsim_${name} ${name} ${arg_EMBED})
  endif()
endfunction()
