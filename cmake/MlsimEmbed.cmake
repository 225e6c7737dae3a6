# mlsim_embed(TARGET NAMESPACE SUBFOLDER [FILE...]): the text files under NAMESPACE/SUBFOLDER, and each FILE, become
# part of TARGET.
#
# Generates NAMESPACE_files.hpp with
#   namespace mlsim::NAMESPACE { const std::vector<EmbeddedFile>& NAMESPACE_files(); }
# where each file has its path inside SUBFOLDER ("machines/dgx2.yaml"), its text and, of YAML, what reading it
# gives, sorted by path; FILE has its name for a path.
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
  # Megabytes are not compiled again with every edit of their neighbours.
  set_source_files_properties(${out}.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${out}.cpp ${out}.hpp)
endfunction()
