# Random launches against a reference (stress.c): a few seconds on emulated devices, half a
# minute with label slow, and on this computer's GPUs with label gpu.
set(stress_ptx ${CMAKE_CURRENT_BINARY_DIR}/stress_kernels.ptx)
proact_ptx(${stress_ptx} ${CMAKE_CURRENT_SOURCE_DIR}/stress/stress_kernels.cu ${PROACT_PTX})
set(stress_ptx_90 ${CMAKE_CURRENT_BINARY_DIR}/stress_kernels_90.ptx)
proact_ptx(${stress_ptx_90} ${CMAKE_CURRENT_SOURCE_DIR}/stress/stress_kernels.cu ${PROACT_PTX_90})
add_executable(stress stress/stress.c stress/stress_session.c stress/stress_shapes.c
    stress/stress_truth.c stress/stress_memory.c ${stress_ptx} ${stress_ptx_90})
target_link_libraries(stress PRIVATE proact_testing)
if(PROACT_SANITIZE OR PROACT_FUZZ)
    target_compile_definitions(stress PRIVATE PROACT_SANITIZED)
endif()
proact_test(NAME stress.few COMMAND stress --machine v100x4 --bytes 200000
    --launches $<IF:$<BOOL:${PROACT_SANITIZE}>,800,2500> --seed 1 ${stress_ptx})
set_tests_properties(stress.few PROPERTIES LABELS quick TIMEOUT 120)
proact_test(NAME stress.many COMMAND stress --machine v100x4 --bytes 16777216 --seconds 25
    --launches 100000 --seed 100000 ${stress_ptx})
set_tests_properties(stress.many PROPERTIES LABELS long TIMEOUT 600)
proact_test(NAME stress.gpus COMMAND stress --machine local --seconds 60 --launches 100000
    --seed 200000 ${stress_ptx})
set_tests_properties(stress.gpus PROPERTIES LABELS gpu SKIP_RETURN_CODE 77 TIMEOUT 600)
# On the fake driver, which counts the objects that are not freed.
proact_test(NAME stress.few_fake COMMAND stress --machine local --bytes 20000 --launches 1200
    --seed 500000 ${stress_ptx})
set_tests_properties(stress.few_fake PROPERTIES LABELS quick TIMEOUT 120 ENVIRONMENT
    "LD_LIBRARY_PATH=${CMAKE_CURRENT_BINARY_DIR}/driver_fake;FAKE_CUDA_DEVICES=3")
# Compiled for sm_90, where staged ranges are sent as bulk copies.
proact_test(NAME stress.few_90 COMMAND stress --machine h200x4 --bytes 200000 --launches 1000
    --seed 300000 ${stress_ptx_90})
set_tests_properties(stress.few_90 PROPERTIES LABELS quick TIMEOUT 120)
proact_test(NAME stress.gpus_90 COMMAND stress --machine local --seconds 60 --launches 100000
    --seed 400000 ${stress_ptx_90})
set_tests_properties(stress.gpus_90 PROPERTIES LABELS gpu SKIP_RETURN_CODE 77 TIMEOUT 600)
# Two pairs of devices have no peer access.
proact_test(NAME stress.few_links COMMAND stress
    --machine ${CMAKE_CURRENT_SOURCE_DIR}/runtime/links_two.json --bytes 200000
    --launches 800 --seed 600000 ${stress_ptx})
set_tests_properties(stress.few_links PROPERTIES LABELS slow TIMEOUT 120)
# On small devices that fill soon, so that launches have interior splits
# (runtime/partition/launch_divide.h).
foreach(method fused bulk)
    proact_test(NAME stress.narrow_${method} COMMAND stress --stencils
        --machine ${CMAKE_CURRENT_SOURCE_DIR}/stress/narrow.json --method ${method} --bytes 200000
        --launches 1000 --seed 1200000 ${stress_ptx})
    set_tests_properties(stress.narrow_${method} PROPERTIES LABELS slow TIMEOUT 120)
endforeach()

# More than 0.3 s of CPU time each.
set_tests_properties(stress.few stress.few_90 stress.few_fake PROPERTIES LABELS
    "slow;sanitize")
proact_check(stress stress fake_cuda_fake)
