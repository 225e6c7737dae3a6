# Writes OUT, which says that this is mlsim NUMBER of the commit that is checked out at ROOT; see cli/CMakeLists.txt.
execute_process(COMMAND git describe --always --dirty WORKING_DIRECTORY ${ROOT} OUTPUT_VARIABLE revision
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(COMMAND git log -1 --format=%cs WORKING_DIRECTORY ${ROOT} OUTPUT_VARIABLE date
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(WRITE ${OUT} "// Generated.\n#include \"cli/program/version.hpp\"\n\nconst mlsim::cli::ProgramVersion& mlsim::cli::program_version() {\n  static const ProgramVersion version{\"${NUMBER}\", \"${revision}\", \"${date}\"};\n  return version;\n}\n")
