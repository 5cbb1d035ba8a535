# The forms against the executor, on the samples.
target_sources(oracle_samples_test PRIVATE access/oracle.c)
foreach(program oracle_samples_test access_counts_test pattern_test)
    target_link_libraries(${program} PRIVATE proact_samples)
endforeach()
