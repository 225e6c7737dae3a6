# What release programs check of themselves; tests/package/hardened reads it off them.
# A slip in code that reads strangers' files ends the program and does no more. Sanitizers have checks of their own.
if(NOT MLSIM_SANITIZE AND NOT MLSIM_FUZZ)
  add_compile_options(
    "$<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2;-fstack-protector-strong>")
  add_link_options("$<$<AND:$<CONFIG:Release>,$<LINK_LANGUAGE:CXX>>:LINKER:-z,relro,-z,now>")
endif()
