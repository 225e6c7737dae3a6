# SimGrid's room as a library that mlsim loads where it is asked for, with what it needs of sim compiled once more. Programs
# find it by their run path, which CMakeLists.txt sets for all.
set(library "")
if(MLSIM_WITH_SIMGRID)
  set(library mlsim-simgrid.so)
  if(MLSIM_SANITIZE)  # whose dlopen() knows no run path but its own
    set(library ${MLSIM_MODULES}/mlsim-simgrid.so)
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/sim/engine/simgrid/*.cpp)
  list(APPEND sources sim/collectives/schedule.cpp)
  foreach(pattern direct halving line ring tree)
    list(APPEND sources sim/collectives/${pattern}.cpp)
  endforeach()
  add_library(mlsim_simgrid MODULE ${sources})
  target_link_libraries(mlsim_simgrid PRIVATE mlsim_options fmt::fmt SimGrid::SimGrid)
  set_target_properties(mlsim_simgrid PROPERTIES PREFIX "" OUTPUT_NAME mlsim-simgrid UNITY_BUILD ON
                                                 LIBRARY_OUTPUT_DIRECTORY ${MLSIM_MODULES})
  mlsim_precompile(mlsim_simgrid mlsim_common)
  mlsim_optimise(mlsim_simgrid)
  add_dependencies(mlsim_sim mlsim_simgrid)
  install(TARGETS mlsim_simgrid LIBRARY DESTINATION lib/mlsim)
endif()
# By itself, so that its neighbours are not compiled again where SimGrid comes later.
set_source_files_properties(sim/engine/simgrid_module.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
                            COMPILE_DEFINITIONS "MLSIM_SIMGRID_LIBRARY=\"${library}\"")
