# The fuzzer itself: build/.../tests/machine_fuzz tests/fuzz/machine_corpus
if(PROACT_FUZZ)
    add_executable(machine_fuzz ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/machine_fuzz.c)
    target_compile_options(machine_fuzz PRIVATE -fsanitize=fuzzer,address,undefined)
    target_link_options(machine_fuzz PRIVATE -fsanitize=fuzzer,address,undefined)
    target_link_libraries(machine_fuzz PRIVATE proact_testing)
endif()
