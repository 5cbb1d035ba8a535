# The samples' launches, and what whole kernels write.
if(TARGET write_set_samples_test)
    target_sources(write_set_samples_test PRIVATE access/write_set_truth.c)
    target_link_libraries(write_set_samples_test PRIVATE proact_samples)
endif()
