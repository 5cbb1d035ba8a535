# The kernels that the tests of the runtime launch.
set(runtime_ptx ${CMAKE_CURRENT_BINARY_DIR}/runtime/runtime_kernels.ptx)
file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/runtime)
proact_ptx(${runtime_ptx} ${CMAKE_CURRENT_SOURCE_DIR}/runtime/runtime_kernels.cu ${PROACT_PTX})
add_custom_target(runtime_ptx ALL DEPENDS ${runtime_ptx})
foreach(program runtime_refuse_test runtime_launch_test)
    add_dependencies(${program} runtime_ptx)
endforeach()
add_test(NAME runtime.launch_seeds COMMAND runtime_launch_test seeds
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
set_tests_properties(runtime.launch_seeds PROPERTIES TIMEOUT 900 LABELS slow)
