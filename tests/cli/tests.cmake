# Each tests/cli/NAME.sh is one test of the command; run.sh says how.
foreach(name help usage input methods run_small)
    add_test(NAME cli.${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cli/run.sh
        $<TARGET_FILE:proact_command> ${PROJECT_SOURCE_DIR} ${name})
    set_tests_properties(cli.${name} PROPERTIES LABELS quick TIMEOUT 120)
endforeach()
