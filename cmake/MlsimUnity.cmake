# Sources of one folder compile as one: templates that all of them use are instantiated once. So names of unnamed
# namespaces are unique within a folder.
option(MLSIM_UNITY "Compile the sources of a folder together" ON)

# mlsim_unity(TARGET): all sources of TARGET, folder by folder; those with SKIP_UNITY_BUILD_INCLUSION apart.
function(mlsim_unity target)
  if(NOT MLSIM_UNITY)
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
