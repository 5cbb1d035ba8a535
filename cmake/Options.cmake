# Compiler options of every C file of the project, and the libraries that they may use.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(POPT REQUIRED IMPORTED_TARGET popt)
pkg_check_modules(HWLOC REQUIRED hwloc) # headers only; the library is opened with dlopen

add_library(proact_options INTERFACE)
target_compile_definitions(proact_options INTERFACE _POSIX_C_SOURCE=200809L)
target_compile_options(proact_options INTERFACE
    $<$<COMPILE_LANGUAGE:C>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wstrict-prototypes;-Wmissing-prototypes;-Wvla;-Werror;-ffp-contract=off>)
if(PROACT_FUZZ) # coverage of all code that a fuzzer may reach
    target_compile_options(proact_options INTERFACE
        $<$<COMPILE_LANGUAGE:C>:-fsanitize=fuzzer-no-link,address,undefined;-fno-sanitize-recover>)
    target_link_options(proact_options INTERFACE -fsanitize=fuzzer-no-link,address,undefined)
elseif(PROACT_SANITIZE)
    target_compile_options(proact_options INTERFACE
        $<$<COMPILE_LANGUAGE:C>:-fsanitize=address,undefined;-fno-sanitize-recover;-fno-omit-frame-pointer>)
    target_link_options(proact_options INTERFACE -fsanitize=address,undefined)
endif()
