# Writes INTO: the commit of ROOT, with a plus where its files differ from it.
execute_process(COMMAND git -C ${ROOT} describe --always --dirty=+ --exclude=*
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
    set(commit "unknown")
endif()
file(CONFIGURE OUTPUT ${INTO} CONTENT "#define BENCH_COMMIT \"${commit}\"\n")
