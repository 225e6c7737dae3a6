# mlsim_protobuf(TARGET FILE.proto): the messages of a file as a library. It is compiled without our warnings, and its
# header, FILE.pb.h, is one of the system's; clang-tidy does not see it.
function(mlsim_protobuf target file)
  get_filename_component(name ${file} NAME_WE)
  get_filename_component(folder ${CMAKE_SOURCE_DIR}/${file} DIRECTORY)
  set(out ${CMAKE_BINARY_DIR}/generated/protobuf)
  file(MAKE_DIRECTORY ${out})
  add_custom_command(
    OUTPUT ${out}/${name}.pb.cc ${out}/${name}.pb.h
    COMMAND ${Protobuf_PROTOC_EXECUTABLE} --proto_path=${folder} --cpp_out=${out} ${CMAKE_SOURCE_DIR}/${file}
    DEPENDS ${CMAKE_SOURCE_DIR}/${file}
    VERBATIM
    COMMENT "Messages of ${file}")
  add_library(${target} STATIC ${out}/${name}.pb.cc)
  set_target_properties(${target} PROPERTIES CXX_CLANG_TIDY "")
  target_include_directories(${target} SYSTEM PUBLIC ${out} ${Protobuf_INCLUDE_DIRS})
  target_link_libraries(${target} PUBLIC ${Protobuf_LIBRARIES})
endfunction()
