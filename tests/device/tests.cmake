# The device contract consists of several files; contract_test.c runs them all.
target_sources(device_tests PRIVATE device/contract.c device/contract_memory.c device/contract_parts.c
    device/contract_rows.c device/contract_streams.c device/contract_launch.c device/contract_clusters.c device/contract_batch.c device/contract_watch.c device/contract_repeats.c device/contract_texels.c
    device/contract_graphs.c device/contract_faults.c device/contract_interop.c device/contract_lazy_devices.c)
target_sources(device_tests PRIVATE device/emulator_testing.c device/fake_cuda_session.c)
# device_memory_test.c moves reservations to low addresses.
target_link_options(device_tests PRIVATE LINKER:--wrap=mmap)

# A separate test, so that it can be run alone on a machine with GPUs; skipped without any.
proact_test(NAME device.contract_cuda COMMAND device_tests contract cuda)
# A second for each promise, which opens the devices again.
set_tests_properties(device.contract_cuda PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 LABELS gpu)

# NVIDIA's own header, if it exists: the test compares driver.h with it.
find_path(PROACT_CUDA_INCLUDE cuda.h HINTS ENV CUDA_HOME PATH_SUFFIXES include
    PATHS /usr/local/cuda)
if(PROACT_CUDA_INCLUDE)
    target_include_directories(device_tests SYSTEM PRIVATE ${PROACT_CUDA_INCLUDE})
else()
    message(STATUS "no cuda.h: the driver's declarations are not compared (device.driver_abi)")
endif()

# The fake driver, in folders for LD_LIBRARY_PATH: a complete one; one without required
# symbols; one without optional symbols; and a file that is no library, for "no driver" on
# any machine.
file(GLOB fake_cuda CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/device/fake_cuda*.c)
list(FILTER fake_cuda EXCLUDE REGEX "fake_cuda_session") # part of the tests
set(fake_cuda_hides_old "cuStreamWaitValue32_v2")
set(fake_cuda_hides_early
    "cuModuleGetFunctionCount;cuModuleEnumerateFunctions;cuFuncLoad;cuFuncGetParamInfo;cuLaunchKernelEx;cuEventElapsedTime_v2")
foreach(kind fake old early)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/driver_${kind})
    add_library(fake_cuda_${kind} SHARED ${fake_cuda})
    target_link_libraries(fake_cuda_${kind} PRIVATE proact_options proact_static)
    target_include_directories(fake_cuda_${kind} PRIVATE ${PROJECT_SOURCE_DIR}/src
        ${CMAKE_CURRENT_SOURCE_DIR})
    set_target_properties(fake_cuda_${kind} PROPERTIES OUTPUT_NAME cuda SOVERSION 1
        LIBRARY_OUTPUT_DIRECTORY ${folder})
    string(REPLACE ";" "; " hidden "${fake_cuda_hides_${kind}}")
    if(hidden)
        file(WRITE ${folder}/hidden "{ local: ${hidden}; };\n")
        target_link_options(fake_cuda_${kind} PRIVATE -Wl,--version-script=${folder}/hidden)
    endif()
endforeach()
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/driver_none/libcuda.so.1 "")
add_library(fake_jit SHARED device/fake_jit.c)
target_link_libraries(fake_jit PRIVATE proact_options)
set_target_properties(fake_jit PROPERTIES OUTPUT_NAME nvidia-ptxjitcompiler SOVERSION 1
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/driver_fake)
add_dependencies(fake_cuda_fake fake_jit)
add_library(fake_nvtx SHARED device/fake_nvtx.c)
target_link_libraries(fake_nvtx PRIVATE proact_options)
set_target_properties(fake_nvtx PROPERTIES OUTPUT_NAME nvtx3interop SOVERSION 1
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/driver_fake)

# A driver that shows each GPU several times, in front of the real one: features for several
# devices run on one GPU, and on the fake driver to test this driver itself.
add_library(many_cuda SHARED device/many_cuda.c device/many_cuda_pass.c)
target_link_libraries(many_cuda PRIVATE proact_options ${CMAKE_DL_LIBS})
target_include_directories(many_cuda PRIVATE ${PROJECT_SOURCE_DIR}/src
    ${PROJECT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR})
set_target_properties(many_cuda PROPERTIES OUTPUT_NAME cuda SOVERSION 1
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/driver_many)

# The CUDA backend on the fake driver: the complete contract, and applications under every
# method.
function(fake_cuda_test name kind)
    cmake_parse_arguments(PARSE_ARGV 2 fake "" "" "SETTINGS;COMMAND")
    proact_test(NAME ${name} COMMAND ${fake_COMMAND})
    set_tests_properties(${name} PROPERTIES LABELS quick TIMEOUT 120 ENVIRONMENT
        "LD_LIBRARY_PATH=${CMAKE_CURRENT_BINARY_DIR}/driver_${kind};${fake_SETTINGS}")
endfunction()
fake_cuda_test(device.contract_fake_cuda fake COMMAND device_tests contract cuda)
fake_cuda_test(device.contract_early_cuda early COMMAND device_tests contract cuda)
fake_cuda_test(device.contract_one_cuda fake SETTINGS FAKE_CUDA_DEVICES=1
    COMMAND device_tests contract cuda)
fake_cuda_test(device.contract_many_cuda many COMMAND device_tests contract cuda SETTINGS
    FAKE_CUDA_DEVICES=1 MANY_CUDA_DEVICES=3
    MANY_CUDA_DRIVER=${CMAKE_CURRENT_BINARY_DIR}/driver_fake/libcuda.so.1)
# Rows that the driver copies one by one: long pitches, no peer access, a refused pitch.
fake_cuda_test(device.contract_pitch_cuda fake SETTINGS FAKE_CUDA_ATTRIBUTES=11=300
    COMMAND device_tests contract cuda rows)
fake_cuda_test(device.contract_unreached_cuda fake SETTINGS FAKE_CUDA_PEERS=none
    COMMAND device_tests contract cuda "rows move")
fake_cuda_test(device.contract_refused_cuda fake SETTINGS FAKE_CUDA_FAIL=cuMemcpy2DAsync_v2:1:1
    COMMAND device_tests contract cuda "rows move")
set(jacobi proact_command run jacobi --compare --size 128 --iterations 52 --machine local)
fake_cuda_test(device.jacobi_fake_cuda fake SETTINGS FAKE_CUDA_DEVICES=4 COMMAND ${jacobi})
fake_cuda_test(device.jacobi_relay_cuda fake SETTINGS FAKE_CUDA_DEVICES=4
    COMMAND ${jacobi} --method relay)
# Launches that GPUs do not record are issued each time.
fake_cuda_test(device.jacobi_unreached_cuda fake
    SETTINGS FAKE_CUDA_DEVICES=4 FAKE_CUDA_PEERS=none COMMAND ${jacobi})
# Devices 1 and 2 have no peer access, and device 3 has none to device 1.
fake_cuda_test(device.jacobi_missing_pair_cuda fake SETTINGS FAKE_CUDA_DEVICES=4
    "FAKE_CUDA_PEERS=0>1,1>0,0>2,2>0,0>3,3>0,2>3,3>2,1>3"
    COMMAND proact_command run jacobi --size 256 --iterations 4 --machine local --compare)

# Tests for GPUs on the fake driver: its checks of kernels apply without a GPU.
fake_cuda_test(kernels.split_fake_cuda fake SETTINGS FAKE_CUDA_DEVICES=2
    COMMAND kernels_tests kernels_split local)
fake_cuda_test(runtime.distributed_fake_cuda fake SETTINGS FAKE_CUDA_DEVICES=3
    COMMAND runtime_tests distributed local)
set_tests_properties(kernels.split_fake_cuda PROPERTIES LABELS slow TIMEOUT 600)

fake_cuda_test(bench.peers_fake_cuda fake SETTINGS FAKE_CUDA_DEVICES=2
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/device/bench_peers.sh $<TARGET_FILE:proact_command>)

# Failures of a driver, and a failure of each of its calls.
add_dependencies(device_tests runtime_ptx fake_cuda_fake fake_cuda_old fake_cuda_early
    fake_nvtx many_cuda)
foreach(part failure sweep early binary compile overlap branches repeat context staging lazy)
    set_tests_properties(device.cuda_${part} PROPERTIES ENVIRONMENT
        "LD_LIBRARY_PATH=${CMAKE_CURRENT_BINARY_DIR}/driver_fake")
endforeach()
foreach(kind none old)
    fake_cuda_test(device.cuda_failure_${kind} ${kind} COMMAND device_tests cuda_failure ${kind})
endforeach()

# A failure of every driver call takes a minute.
set_tests_properties(device.cuda_sweep PROPERTIES LABELS long TIMEOUT 300)

# More than 0.3 s of CPU time each.
set_tests_properties(device.contract device.contract_early_cuda
    device.contract_fake_cuda device.contract_many_cuda device.contract_one_cuda
    device.contract_pitch_cuda device.cuda_workers device.cuda_failure device.emulator_cost
    device.emulator_fault device.emulator_rows device.emulator_time
    device.jacobi_fake_cuda device.jacobi_relay_cuda device.jacobi_unreached_cuda
    device.jacobi_missing_pair_cuda bench.peers_fake_cuda PROPERTIES LABELS "slow;sanitize")

# Valgrind maps memory at low addresses, and the emulator reads nothing uninitialized.
find_program(PROACT_VALGRIND valgrind)
mark_as_advanced(PROACT_VALGRIND)
if(PROACT_VALGRIND AND NOT PROACT_SANITIZE AND NOT PROACT_FUZZ)
    proact_test(NAME device.memcheck COMMAND ${PROACT_VALGRIND} -q --error-exitcode=1
        $<TARGET_FILE:device_tests> emulator_cluster
        WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    set_tests_properties(device.memcheck PROPERTIES LABELS slow)
endif()
proact_check(device proact_command)
