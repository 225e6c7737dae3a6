# mlsim_embed is compiled by itself: nothing has to be built before it.
set(texts code_point document_tree errors json_reader spelling statement units_text yaml_tree)
list(TRANSFORM texts REPLACE "(.+)" "${CMAKE_SOURCE_DIR}/core/text/\\1.cpp")
add_executable(mlsim_embed ${CMAKE_SOURCE_DIR}/cmake/embed.cpp ${texts})
target_link_libraries(mlsim_embed PRIVATE mlsim_options nlohmann_json::nlohmann_json ${MLSIM_YAML_CPP} PkgConfig::UTF8PROC)
set_target_properties(mlsim_embed PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)

# mlsim_embed(TARGET NAMESPACE SUBFOLDER [FILE...]): the text files under NAMESPACE/SUBFOLDER, and each FILE, become
# a library that TARGET links. It links nothing itself: Ninja would wait for that before it embeds.
#
# Generates NAMESPACE_files.hpp with
#   namespace mlsim::NAMESPACE { const std::vector<EmbeddedFile>& NAMESPACE_files(); }
# where each file has its path inside SUBFOLDER ("machines/dgx2.yaml"), its text and, of YAML and JSON, what reading
# it gives, sorted by path; FILE has its name for a path.
function(mlsim_embed target name subfolder)
  set(root ${CMAKE_SOURCE_DIR}/${name}/${subfolder})
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${root}/*.yaml ${root}/*.json ${root}/*.csv
       ${root}/*.css ${root}/*.js)
  set(out ${CMAKE_BINARY_DIR}/generated/${name}_files)
  add_custom_command(
    OUTPUT ${out}.cpp ${out}.hpp
    COMMAND mlsim_embed ${name} ${root} ${out} ${ARGN}
    DEPENDS ${files} ${ARGN} mlsim_embed
    COMMENT "Embedding ${name}/${subfolder}")
  add_library(${target}_files STATIC ${out}.cpp ${out}.hpp)
  set_target_properties(${target}_files PROPERTIES CXX_CLANG_TIDY "")  # nobody wrote it
  target_include_directories(${target}_files PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
  target_link_libraries(${target} PRIVATE ${target}_files)
endfunction()
