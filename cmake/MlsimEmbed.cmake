# mlsim_embed(TARGET NAMESPACE SUBFOLDER [FILE]): the text files under NAMESPACE/SUBFOLDER, and FILE, become part of
# TARGET.
#
# Generates NAMESPACE_files.hpp with
#   namespace mlsim::NAMESPACE { const std::vector<EmbeddedFile>& NAMESPACE_files(); }
# where each file has its path inside SUBFOLDER ("machines/dgx2.yaml") and its text, sorted by path; FILE
# has its name for a path.
set(MLSIM_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed.cmake)

function(mlsim_embed target name subfolder)
  set(root ${CMAKE_SOURCE_DIR}/${name}/${subfolder})
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${root}/*.yaml ${root}/*.json ${root}/*.csv
       ${root}/*.css ${root}/*.js)
  set(out ${CMAKE_BINARY_DIR}/generated/${name}_files)
  add_custom_command(
    OUTPUT ${out}.cpp ${out}.hpp
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DROOT=${root} -DOUT=${out} -DFILE=${ARGN} -P ${MLSIM_EMBED_SCRIPT}
    DEPENDS ${files} ${ARGN} ${MLSIM_EMBED_SCRIPT}
    COMMENT "Embedding ${name}/${subfolder}")
  # A hundred thousand bytes are not compiled again with every edit of their neighbours.
  set_source_files_properties(${out}.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${out}.cpp ${out}.hpp)
endfunction()
