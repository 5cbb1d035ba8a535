# The device contract is told in several files; contract_test.c runs them all.
target_sources(contract_test PRIVATE device/contract.c device/contract_memory.c
    device/contract_streams.c device/contract_launch.c device/contract_watch.c
    device/contract_graphs.c device/contract_faults.c)
# So is the emulated machine.
foreach(part time order fault)
    target_sources(emulator_${part}_test PRIVATE device/emulator_testing.c device/contract.c)
endforeach()
foreach(part residency device_unit)
    target_sources(${part}_test PRIVATE device/emulator_testing.c device/contract.c)
endforeach()

# Alone, so that a machine with GPUs can be asked for just this; skipped without any.
add_test(NAME device.contract_cuda COMMAND contract_test cuda)
set_tests_properties(device.contract_cuda PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120 LABELS gpu)

# NVIDIA's own header, where there is one: our declarations are compared with it.
find_path(PROACT_CUDA_INCLUDE cuda.h HINTS ENV CUDA_HOME PATH_SUFFIXES include
    PATHS /usr/local/cuda)
if(PROACT_CUDA_INCLUDE)
    target_include_directories(driver_abi_test SYSTEM PRIVATE ${PROACT_CUDA_INCLUDE})
else()
    message(STATUS "no cuda.h: the driver's declarations are not compared (device.driver_abi)")
endif()
