# Each tests/cli/NAME.sh is one test of the command; run.sh describes them.
foreach(name bench bench_link bench_options chart ct figures help ideal usage input make methods midway plot progress replay run_small runs single solvers trace doctor topo local unified
    model model_fit model_usage ratings tune analyze analyze_launch analyze_modes analyze_passes analyze_program analyze_usage)
    proact_test(NAME cli.${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cli/run.sh
        $<TARGET_FILE:proact_command> ${PROJECT_SOURCE_DIR} ${name})
    set_tests_properties(cli.${name} PROPERTIES LABELS quick TIMEOUT 120)
endforeach()
# Each takes a quarter of a minute or more under sanitizers.
set_tests_properties(cli.bench cli.bench_link cli.chart cli.figures cli.ideal cli.midway cli.plot cli.progress
    cli.ratings cli.replay cli.run_small cli.runs cli.single cli.solvers cli.tune cli.unified
    PROPERTIES LABELS slow)

# A separate program reads traces back.
add_executable(trace_check cli/trace_check.c)
target_link_libraries(trace_check PRIVATE proact_options PkgConfig::JANSSON m)
set_tests_properties(cli.trace PROPERTIES ENVIRONMENT "TRACE_CHECK=$<TARGET_FILE:trace_check>")

# Several drivers, none with a GPU: tests/device/tests.cmake.
set_tests_properties(cli.doctor cli.topo cli.local PROPERTIES
    ENVIRONMENT "DRIVERS=${CMAKE_CURRENT_BINARY_DIR}")

# An independent reader reads the output of `proact analyze --json`.
add_executable(json_check cli/json_check.c)
target_link_libraries(json_check PRIVATE proact_options PkgConfig::JANSSON)
set_tests_properties(cli.analyze_launch cli.model PROPERTIES
    ENVIRONMENT "JSON_CHECK=$<TARGET_FILE:json_check>")

# A parser reads the output of `proact run --plot`.
add_executable(svg_check cli/svg_check.c)
target_link_libraries(svg_check PRIVATE proact_options)
set_tests_properties(cli.figures cli.plot cli.tune PROPERTIES ENVIRONMENT "SVG_CHECK=$<TARGET_FILE:svg_check>")

# Changed checkpoints with a hash that fits.
add_executable(checkpoint_seal cli/checkpoint_seal.c)
target_link_libraries(checkpoint_seal PRIVATE proact_options proact_static)
target_include_directories(checkpoint_seal PRIVATE ${PROJECT_SOURCE_DIR}/src)
set_tests_properties(cli.single PROPERTIES ENVIRONMENT
    "SVG_CHECK=$<TARGET_FILE:svg_check>;CHECKPOINT_SEAL=$<TARGET_FILE:checkpoint_seal>")
# More than 0.3 s of CPU time each.
set_tests_properties(cli.analyze_launch cli.analyze_passes cli.analyze_program cli.bench_options cli.chart cli.ct cli.doctor
    cli.local cli.make cli.methods cli.model cli.model_fit cli.plot cli.topo cli.trace PROPERTIES LABELS "slow;sanitize")
proact_check(cli proact_command trace_check json_check svg_check checkpoint_seal fake_cuda_fake fake_cuda_old fake_cuda_early many_cuda)
