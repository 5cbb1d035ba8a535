# proact_kernel(TARGET SOURCE): compiles SOURCE.cu to PTX and embeds the text in TARGET as
# `const char kernel_NAME[]`. The compiler is nvcc if it is found, otherwise clang, which
# needs no CUDA toolkit: our kernels include no CUDA header. proact_ptx(...) only compiles.

set(PROACT_SM 75 CACHE STRING "lowest compute capability the kernels run on")
find_program(PROACT_NVCC nvcc HINTS ENV CUDA_HOME PATH_SUFFIXES bin PATHS /usr/local/cuda)
# The folder of the toolkit's programs; nvcc reports it, as nvcc on the PATH may be a script.
if(PROACT_NVCC)
    file(WRITE ${PROJECT_BINARY_DIR}/nothing.cu "")
    execute_process(COMMAND ${PROACT_NVCC} --dryrun ${PROJECT_BINARY_DIR}/nothing.cu
        OUTPUT_VARIABLE nvcc_output ERROR_VARIABLE nvcc_output)
    get_filename_component(PROACT_NVCC_FOLDER ${PROACT_NVCC} DIRECTORY)
    if(nvcc_output MATCHES "_HERE_=([^\n]+)")
        set(PROACT_NVCC_FOLDER ${CMAKE_MATCH_1})
    endif()
endif()
find_program(PROACT_CLANG NAMES clang-14 clang clang-16 clang-19)

set(PROACT_KERNEL_INCLUDES -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/kernels)
set(PROACT_PTX_NVCC ${PROACT_NVCC} -ptx -arch=compute_${PROACT_SM} -O3 ${PROACT_KERNEL_INCLUDES})
set(PROACT_PTX_CLANG ${PROACT_CLANG} -x cuda --cuda-device-only --cuda-gpu-arch=sm_${PROACT_SM}
    --cuda-path=/nonexistent -nocudainc -nocudalib -Wno-unknown-cuda-version
    -Xclang -target-feature -Xclang +ptx75 -O3 -S ${PROACT_KERNEL_INCLUDES})
if(PROACT_NVCC)
    set(PROACT_PTX ${PROACT_PTX_NVCC})
elseif(PROACT_CLANG)
    set(PROACT_PTX ${PROACT_PTX_CLANG})
else()
    message(FATAL_ERROR "the kernels need nvcc or clang: apt-get install clang-14")
endif()

# For sm_90, because proact_store_bulk() uses its bulk copies. A clang without sm_90 passes
# their assembly through, and clang90.sh then sets the target of the text.
set(PROACT_PTX_90 ${PROJECT_SOURCE_DIR}/cmake/clang90.sh ${PROACT_PTX_CLANG} -DPROACT_HAS_BULK_COPY=1)
if(PROACT_NVCC)
    execute_process(COMMAND ${PROACT_NVCC} --list-gpu-arch OUTPUT_VARIABLE PROACT_NVCC_KNOWS)
    if(PROACT_NVCC_KNOWS MATCHES "compute_90" OR NOT PROACT_CLANG)
        set(PROACT_PTX_90 ${PROACT_NVCC} -ptx -arch=compute_90 -O3 ${PROACT_KERNEL_INCLUDES})
    endif()
endif()

# Architectures of the test kernels that nvcc compiles: sm_90 alone, because all four together
# take a third of the build. scripts/test --all turns PROACT_EVERY_SM on.
option(PROACT_EVERY_SM "compile the test kernels for sm_75, 80, 90 and 100, not one alone" OFF)
set(PROACT_TEST_SMS)
if(PROACT_NVCC)
    foreach(sm 75 80 90 100)
        if(PROACT_NVCC_KNOWS MATCHES "compute_${sm}\n")
            list(APPEND PROACT_TEST_SMS ${sm})
        endif()
    endforeach()
    if(NOT PROACT_EVERY_SM AND 90 IN_LIST PROACT_TEST_SMS)
        set(PROACT_TEST_SMS 90)
    endif()
endif()
# Tests read every PTX file in their folders, so those of another configuration are removed.
file(GLOB stale ${PROJECT_BINARY_DIR}/tests/*/*.sm_*.ptx)
foreach(sm ${PROACT_TEST_SMS})
    list(FILTER stale EXCLUDE REGEX "\\.sm_${sm}\\.ptx$")
endforeach()
if(stale)
    file(REMOVE ${stale})
endif()

# CUDA's device runtime of the toolkit, which NVIDIA allows programs to redistribute.
if(PROACT_NVCC)
    set(nvcc_above ${PROACT_NVCC_FOLDER}/..)
    find_file(PROACT_DEVICE_RUNTIME libcudadevrt.a HINTS ${nvcc_above}/lib64
        ${nvcc_above}/lib ${nvcc_above}/targets/${CMAKE_SYSTEM_PROCESSOR}-linux/lib
        ${nvcc_above}/lib/${CMAKE_LIBRARY_ARCHITECTURE})
endif()

# proact_device_runtime(TARGET): embeds the device runtime in TARGET if it is found.
function(proact_device_runtime target)
    if(PROACT_NVCC AND PROACT_DEVICE_RUNTIME)
        set(PROACT_RUNTIME_BYTES "    .incbin \"${PROACT_DEVICE_RUNTIME}\"")
    endif()
    configure_file(${PROJECT_SOURCE_DIR}/cmake/archive.S.in device_runtime.S @ONLY)
    target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/device_runtime.S)
endfunction()

# proact_ptx(OUTPUT SOURCE COMMAND...): compiles SOURCE to OUTPUT, with header dependencies. A
# second OUTPUT of the same SOURCE and COMMAND is a copy of the first.
function(proact_ptx output source)
    get_filename_component(source ${source} ABSOLUTE)
    string(SHA256 key "${source} ${ARGN}")
    get_property(made GLOBAL PROPERTY PROACT_PTX_${key})
    if(made AND CMAKE_GENERATOR MATCHES Ninja) # one graph of all folders
        add_custom_command(OUTPUT ${output} DEPENDS ${made} VERBATIM
            COMMAND ${CMAKE_COMMAND} -E copy ${made} ${output})
        return()
    endif()
    set_property(GLOBAL PROPERTY PROACT_PTX_${key} ${output})
    add_custom_command(OUTPUT ${output} DEPFILE ${output}.d DEPENDS ${source} VERBATIM
        COMMAND ${ARGN} -MD -MF ${output}.d ${source} -o ${output})
endfunction()

function(proact_embed target source name)
    set(ptx ${CMAKE_CURRENT_BINARY_DIR}/${name}.ptx)
    proact_ptx(${ptx} ${CMAKE_CURRENT_SOURCE_DIR}/${source}.cu ${ARGN})
    configure_file(${PROJECT_SOURCE_DIR}/cmake/embed.S.in ${name}.S @ONLY)
    set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/${name}.S
        PROPERTIES OBJECT_DEPENDS ${ptx})
    target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${name}.S ${ptx})
endfunction()

function(proact_kernel target source)
    get_filename_component(name ${source} NAME)
    proact_embed(${target} ${source} ${name} ${PROACT_PTX})
endfunction()

# proact_kernel_90(TARGET SOURCE): as proact_kernel(), for sm_90 as `kernel_NAME_90`.
function(proact_kernel_90 target source)
    get_filename_component(name ${source} NAME)
    proact_embed(${target} ${source} ${name}_90 ${PROACT_PTX_90})
endfunction()
