# The agent and its mechanism share headers in kernels/.
target_include_directories(slices_test PRIVATE ${PROJECT_SOURCE_DIR}/kernels)
