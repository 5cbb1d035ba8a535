# The benches are no part of the library.
target_link_libraries(peers_test PRIVATE proact_bench)
