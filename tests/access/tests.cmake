# The forms against the executor, on the samples and on the hard kernels.
foreach(program oracle_samples_test oracle_hard_test)
    target_sources(${program} PRIVATE access/oracle.c)
endforeach()
foreach(program oracle_samples_test access_counts_test pattern_test)
    target_link_libraries(${program} PRIVATE proact_samples)
endforeach()
