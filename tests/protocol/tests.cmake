# The protocol between devices, unmodified. mutate.sh removes every step in turn and is run
# by hand (docs/internals/protocol.md).
set(protocol_ptx ${CMAKE_CURRENT_BINARY_DIR}/protocol_cases.ptx)
proact_ptx(${protocol_ptx} ${CMAKE_CURRENT_SOURCE_DIR}/protocol/protocol_cases.cu
    ${PROACT_PTX_90})
add_executable(protocol_cases protocol/protocol_cases.c ${protocol_ptx})
target_compile_definitions(protocol_cases PRIVATE PROTOCOL_PTX="${protocol_ptx}"
    PROTOCOL_MACHINE="${CMAKE_CURRENT_SOURCE_DIR}/protocol/narrow.json"
    PROTOCOL_RECENT="${CMAKE_CURRENT_SOURCE_DIR}/protocol/recent.json")
target_link_libraries(protocol_cases PRIVATE proact_testing)
proact_test(NAME protocol.cases COMMAND protocol_cases 1)
set_tests_properties(protocol.cases PROPERTIES LABELS slow TIMEOUT 300)
proact_test(NAME protocol.cases_seeds COMMAND protocol_cases 3)
set_tests_properties(protocol.cases_seeds PROPERTIES LABELS long TIMEOUT 300)
proact_check(protocol protocol_cases)
