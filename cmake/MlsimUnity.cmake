# Sources compile together: templates that all of them use are instantiated once. So names of unnamed namespaces are
# unique within a room (sim, tests/sim, ...).
#   room    a room's sources in one or two, which builds all soonest
#   folder  those of each folder, which builds soonest after an edit
#   off     each by itself
set(MLSIM_UNITY room CACHE STRING "Which sources compile together: room, folder or off")
set_property(CACHE MLSIM_UNITY PROPERTY STRINGS room folder off)

# mlsim_unity(TARGET): sources of TARGET folder by folder; those with SKIP_UNITY_BUILD_INCLUSION apart.
function(mlsim_unity target)
  if(MLSIM_UNITY STREQUAL off)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    get_filename_component(folder ${folder} DIRECTORY)
    file(RELATIVE_PATH group ${CMAKE_SOURCE_DIR} ${folder})
    string(MAKE_C_IDENTIFIER "${group}" group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# mlsim_unity_of_room(TARGET MOST): all sources of TARGET, at most MOST at a time so that two cores have work.
function(mlsim_unity_of_room target most)
  if(MLSIM_UNITY STREQUAL room)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE BATCH UNITY_BUILD_BATCH_SIZE ${most})
  else()
    mlsim_unity(${target})
  endif()
endfunction()

# A unit's garbage is collected late: 7 % of compiling for a fifth more memory.
add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,GNU>:SHELL:--param ggc-min-heapsize=1000000>")
