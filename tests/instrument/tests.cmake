# Test instrument.registers: ptxas accepts all kernel versions, and they need few additional
# registers. Test instrument.run_all: plain kernels are split under every method, with more
# seeds.
target_link_libraries(instrument_tests PRIVATE proact_samples)
if(PROACT_NVCC)
    set(instrument_bin ${PROACT_NVCC_FOLDER})
    proact_test(NAME instrument.registers COMMAND ${CMAKE_CURRENT_LIST_DIR}/registers.sh
        "$<TARGET_FILE:instrument_tests> instrument_text" ${instrument_bin}/ptxas
        ${CMAKE_CURRENT_BINARY_DIR}/instrument_registers)
    proact_test(NAME instrument.registers_all COMMAND ${CMAKE_CURRENT_LIST_DIR}/registers.sh
        "$<TARGET_FILE:instrument_tests> instrument_corpus" ${instrument_bin}/ptxas
        ${CMAKE_CURRENT_BINARY_DIR}/instrument_registers_all 8
        ${CMAKE_CURRENT_BINARY_DIR}/kernels/*.ptx)
    proact_test(NAME instrument.inline_link COMMAND ${CMAKE_CURRENT_LIST_DIR}/inline_link.sh
        ${PROACT_NVCC} ${instrument_bin}/ptxas "$<TARGET_FILE:ptx_tests> ptx_link"
        "$<TARGET_FILE:instrument_tests> instrument_inline" ${CMAKE_CURRENT_SOURCE_DIR}
        ${CMAKE_CURRENT_BINARY_DIR}/instrument_inline)
    set_tests_properties(instrument.inline_link PROPERTIES TIMEOUT 300 LABELS slow
        SKIP_RETURN_CODE 77)
    set_tests_properties(instrument.registers instrument.registers_all
        PROPERTIES TIMEOUT 1800 LABELS long)
endif()

set(plain_text ${CMAKE_CURRENT_BINARY_DIR}/plain.ptx)
proact_ptx(${plain_text} ${CMAKE_CURRENT_LIST_DIR}/plain.cu ${PROACT_PTX}
    -I${CMAKE_CURRENT_SOURCE_DIR})
add_custom_target(plain_ptx DEPENDS ${plain_text})
add_dependencies(instrument_tests plain_ptx)
target_compile_definitions(instrument_tests PRIVATE PLAIN_PTX="${plain_text}")
proact_test(NAME instrument.run_all COMMAND instrument_tests instrument_run all
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
set_tests_properties(instrument.run_all PROPERTIES TIMEOUT 900 LABELS long)

# Kernels whose epilogue launches a kernel: checked here, and by NVIDIA's assembler and
# linker where they are installed.
add_dependencies(instrument_tests plain_ptx)
target_compile_definitions(instrument_tests PRIVATE PLAIN_PTX="${plain_text}")
if(PROACT_NVCC)
    proact_test(NAME instrument.children_link COMMAND ${CMAKE_CURRENT_LIST_DIR}/children_link.sh
        "$<TARGET_FILE:instrument_tests> instrument_child" ${instrument_bin}/ptxas
        ${CMAKE_CURRENT_BINARY_DIR}/instrument_children)
    set_tests_properties(instrument.children_link PROPERTIES LABELS slow TIMEOUT 120
        SKIP_RETURN_CODE 77)
endif()

# More than 0.3 s of CPU time each.
set_tests_properties(instrument.instrument_corpus instrument.instrument_run PROPERTIES
    LABELS "slow;sanitize")
proact_check(instrument plain_ptx ptx_tests)
