# Each tests/cli/NAME.sh is one test of the command; run.sh says how.
foreach(name bench bench_link bench_options chart help usage input make methods midway plot progress run_small trace doctor topo local
    analyze analyze_launch analyze_modes analyze_passes analyze_usage)
    add_test(NAME cli.${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cli/run.sh
        $<TARGET_FILE:proact_command> ${PROJECT_SOURCE_DIR} ${name})
    set_tests_properties(cli.${name} PROPERTIES LABELS quick TIMEOUT 120)
endforeach()
# A quarter of a minute or more each under sanitizers.
set_tests_properties(cli.bench cli.bench_link cli.chart cli.midway cli.plot cli.progress cli.run_small PROPERTIES LABELS slow)

# Traces are read back by a program of its own.
add_executable(trace_check cli/trace_check.c)
target_link_libraries(trace_check PRIVATE proact_options PkgConfig::JANSSON m)
set_tests_properties(cli.trace PROPERTIES ENVIRONMENT "TRACE_CHECK=$<TARGET_FILE:trace_check>")

# Drivers of all sorts, none of which has a GPU: tests/device/tests.cmake.
set_tests_properties(cli.doctor cli.topo cli.local PROPERTIES
    ENVIRONMENT "DRIVERS=${CMAKE_CURRENT_BINARY_DIR}")

# What `proact analyze --json` wrote is read by another reader than ours.
add_executable(json_check cli/json_check.c)
target_link_libraries(json_check PRIVATE proact_options PkgConfig::JANSSON)
set_tests_properties(cli.analyze_launch PROPERTIES
    ENVIRONMENT "JSON_CHECK=$<TARGET_FILE:json_check>")

# What `proact run --plot` wrote is read by a parser.
add_executable(svg_check cli/svg_check.c)
target_link_libraries(svg_check PRIVATE proact_options)
set_tests_properties(cli.plot PROPERTIES ENVIRONMENT "SVG_CHECK=$<TARGET_FILE:svg_check>")
