# Compiles Core Data models with modelc.
#
#   modelc_add_model(TARGET MODEL.xcdatamodeld [OUTPUT FOLDER])
#
# adds a target that writes MODEL.momd into FOLDER (by default the current binary folder, which a relative FOLDER is below) whenever a file of
# the model or modelc itself has changed, and sets TARGET_OUTPUTS in the caller to the paths that were written.
find_program(MODELC_EXECUTABLE modelc DOC "The program modelc")

function(modelc_add_model target model)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "" "OUTPUT" "")
  if(NOT MODELC_EXECUTABLE)
    message(FATAL_ERROR "modelc was not found; set MODELC_EXECUTABLE to its path")
  endif()
  if(NOT ARG_OUTPUT)
    set(ARG_OUTPUT "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  get_filename_component(folder "${ARG_OUTPUT}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  get_filename_component(path "${model}" ABSOLUTE)
  execute_process(
    COMMAND "${MODELC_EXECUTABLE}" compile --list-outputs "${path}" "${folder}"
    OUTPUT_VARIABLE outputs
    OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "modelc cannot read ${path}")
  endif()
  string(REPLACE "\n" ";" outputs "${outputs}")
  # A folder's time says little: what is compared are the files in it.
  set(files "")
  foreach(output IN LISTS outputs)
    if(output MATCHES "\\.momd$")
      list(APPEND files "${output}/VersionInfo.plist")
      file(GLOB versions CONFIGURE_DEPENDS "${path}/*.xcdatamodel/contents")
      foreach(version IN LISTS versions)
        get_filename_component(version "${version}" DIRECTORY)
        get_filename_component(version "${version}" NAME_WLE)
        list(APPEND files "${output}/${version}.mom")
      endforeach()
    else()
      list(APPEND files "${output}")
    endif()
  endforeach()
  file(GLOB_RECURSE inputs CONFIGURE_DEPENDS "${path}/*" "${path}/.xccurrentversion")
  add_custom_command(
    OUTPUT ${files}
    COMMAND "${MODELC_EXECUTABLE}" compile --quiet "${path}" "${folder}"
    # modelc may leave files with the same contents as they are.
    COMMAND "${CMAKE_COMMAND}" -E touch_nocreate ${files}
    DEPENDS ${inputs} "${MODELC_EXECUTABLE}"
    COMMENT "Compiling ${model}"
    VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${files})
  set(${target}_OUTPUTS "${outputs}" PARENT_SCOPE)
endfunction()
