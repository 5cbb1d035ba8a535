# What the agent and its mechanism share is the kernels' own.
target_include_directories(slices_test PRIVATE ${PROJECT_SOURCE_DIR}/kernels)
