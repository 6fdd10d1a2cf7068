# Compiles Core Data models with modelc.
#
#   modelc_add_model(TARGET MODEL.xcdatamodeld [OUTPUT FOLDER])
#
# adds a target that writes MODEL.momd into FOLDER (by default the current binary folder) whenever a file of the model has changed, and sets
# TARGET_OUTPUTS in the caller to the paths that were written.
find_program(MODELC_EXECUTABLE modelc DOC "The program modelc")

function(modelc_add_model target model)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "" "OUTPUT" "")
  if(NOT MODELC_EXECUTABLE)
    message(FATAL_ERROR "modelc was not found; set MODELC_EXECUTABLE to its path")
  endif()
  if(NOT ARG_OUTPUT)
    set(ARG_OUTPUT "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  get_filename_component(path "${model}" ABSOLUTE)
  execute_process(
    COMMAND "${MODELC_EXECUTABLE}" compile --list-outputs "${path}" "${ARG_OUTPUT}"
    OUTPUT_VARIABLE outputs
    OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "modelc cannot read ${path}")
  endif()
  string(REPLACE "\n" ";" outputs "${outputs}")
  # A folder's time says little: a stamp says when the model was compiled.
  set(stamp "${CMAKE_CURRENT_BINARY_DIR}/${target}.stamp")
  file(GLOB_RECURSE inputs CONFIGURE_DEPENDS "${path}/*" "${path}/.xccurrentversion")
  add_custom_command(
    OUTPUT "${stamp}"
    BYPRODUCTS ${outputs}
    COMMAND "${MODELC_EXECUTABLE}" compile --quiet "${path}" "${ARG_OUTPUT}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
    DEPENDS ${inputs}
    COMMENT "Compiling ${model}"
    VERBATIM)
  add_custom_target(${target} ALL DEPENDS "${stamp}")
  set(${target}_OUTPUTS "${outputs}" PARENT_SCOPE)
endfunction()
