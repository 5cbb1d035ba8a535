# The forms against the executor: on the samples, on the hard kernels, on mutated samples.
foreach(program oracle_samples_test oracle_hard_test oracle_mutations_test)
    target_sources(${program} PRIVATE access/oracle.c)
endforeach()
foreach(program oracle_samples_test oracle_mutations_test access_counts_test pattern_test)
    target_link_libraries(${program} PRIVATE proact_samples)
endforeach()
