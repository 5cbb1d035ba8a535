# proact_test(NAME COMPONENT.TEST COMMAND PROGRAM [ARGUMENT...] [WORKING_DIRECTORY FOLDER]):
# add_test() with label `quick`, a time limit, exit status 77 for a test that cannot run here,
# and a record of the CPU time in build/PRESET/cpu_times. PROGRAM may be a target.
#
# proact_test_runner(COMPONENT): all tests/COMPONENT/*_test.c as one program,
# COMPONENT_tests. Each file keeps its main(), which the build renames to FILE_main.
# `COMPONENT_tests NAME [ARGUMENT...]` calls that of NAME_test.c; without a name it lists the
# names. CTest runs one process a file, as test COMPONENT.NAME.

# A test that hangs alone ends with the limit: the slowest take 20 s, with sanitizers 40 s.
set(PROACT_TEST_LIMIT 300)
if(PROACT_SANITIZE)
    set(PROACT_TEST_LIMIT 900)
endif()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/cpu_times)

function(proact_test)
    cmake_parse_arguments(PARSE_ARGV 0 test COMMAND_EXPAND_LISTS "NAME;WORKING_DIRECTORY" COMMAND)
    list(POP_FRONT test_COMMAND program)
    if(program MATCHES "^[a-z0-9_]+$")
        set(program $<TARGET_FILE:${program}>)
    endif()
    if(test_WORKING_DIRECTORY)
        list(PREPEND test_WORKING_DIRECTORY WORKING_DIRECTORY)
    endif()
    if(test_COMMAND_EXPAND_LISTS)
        list(APPEND test_WORKING_DIRECTORY COMMAND_EXPAND_LISTS)
    endif()
    add_test(NAME ${test_NAME} COMMAND cpu_time ${PROJECT_BINARY_DIR}/cpu_times/${test_NAME}
        ${program} ${test_COMMAND} ${test_WORKING_DIRECTORY})
    set_tests_properties(${test_NAME} PROPERTIES SKIP_RETURN_CODE 77
        TIMEOUT ${PROACT_TEST_LIMIT} LABELS quick)
    set_property(GLOBAL APPEND PROPERTY PROACT_TESTS ${test_NAME})
endfunction()

# Test quick_times: the label `quick` against the recorded CPU times, after all other tests.
function(proact_quick_times)
    get_property(tests GLOBAL PROPERTY PROACT_TESTS)
    add_test(NAME quick_times COMMAND ${PROJECT_SOURCE_DIR}/tests/layering/quick_times.sh
        ${PROJECT_BINARY_DIR} ${CMAKE_CTEST_COMMAND})
    set_tests_properties(quick_times PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 60 LABELS quick
        DEPENDS "${tests}")
endfunction()

# proact_check(COMPONENT TARGET...): further targets that the tests of a component need.
# Target check_COMPONENT builds them and COMPONENT_tests.
function(proact_check component)
    if(NOT TARGET check_${component})
        add_custom_target(check_${component} DEPENDS cpu_time)
    endif()
    if(ARGN)
        add_dependencies(check_${component} ${ARGN})
    endif()
endfunction()

# The generated table calls each main() in the form that its file gives it.
function(proact_test_runner component)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${component}/*_test.c)
    set(PROACT_TEST_PROTOTYPES)
    set(PROACT_TEST_ROWS)
    foreach(source ${sources})
        get_filename_component(name ${source} NAME_WE)
        string(REGEX REPLACE "_test$" "" short ${name})
        file(STRINGS ${source} plain_form REGEX "^int main\\(void\\)")
        if(plain_form)
            set(form without)
            set(parameters void)
        else()
            set(form with)
            set(parameters "int argc, char **argv")
        endif()
        string(APPEND PROACT_TEST_PROTOTYPES "int ${name}_main(${parameters});\n")
        string(APPEND PROACT_TEST_ROWS "    {\"${short}\", .${form}_arguments = ${name}_main},\n")
        set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS main=${name}_main
            COMPILE_OPTIONS "-include;${PROJECT_SOURCE_DIR}/tests/runner/main_${form}_arguments.h")
        proact_test(NAME ${component}.${short} COMMAND ${component}_tests ${short}
            WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    endforeach()
    set(table ${CMAKE_CURRENT_BINARY_DIR}/${component}_tests.c)
    configure_file(${CMAKE_CURRENT_SOURCE_DIR}/runner/tests.c.in ${table} @ONLY)
    add_executable(${component}_tests ${sources} ${table})
    target_link_libraries(${component}_tests PRIVATE proact_testing)
    proact_check(${component} ${component}_tests)
endfunction()
