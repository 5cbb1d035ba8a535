# Programs on broken drivers: one message each, and no result.
. "$(dirname "$0")/cli_lib.sh"
run_local() { # DRIVER EXIT-STATUS [NAME=VALUE...]
    kind=$1 expected=$2
    shift 2
    echo "\$ [$kind] $*"
    env LD_LIBRARY_PATH="$DRIVERS/driver_$kind" "$@" proact run jacobi --compare --size 128 \
        --iterations 6 --machine local >out 2>err
    status=$?
    sed "s|$DRIVERS|...|; s/: [0-9]* bytes of memory requested, [0-9]* of/: N bytes of memory requested, N of/" err
    [ $status = "$expected" ] || echo "exit status $status, expected $expected"
}
run_local none 1
run_local old 1
run_local fake 1 FAKE_CUDA_DEVICES=0
run_local fake 1 FAKE_CUDA_FAIL=cuInit:1:802
run_local fake 1 FAKE_CUDA_FAIL=cuDevicePrimaryCtxRetain:1:46
run_local fake 1 FAKE_CUDA_FAIL=cuModuleLoadDataEx:1:218
run_local fake 1 FAKE_CUDA_MEMORY=4096
run_local fake 1 FAKE_CUDA_FAIL=cuLaunchKernel:9:719
run_local fake 1 FAKE_CUDA_FAIL=cuMemcpyAsync:3:214
run_local fake 0 FAKE_CUDA_DEVICES=1
grep -q equal out && echo equal
grep ' on local ' out # the topology is unknown
env LD_LIBRARY_PATH="$DRIVERS/driver_fake" proact run jacobi --compare --size 128 --iterations 6 --machine local \
    --json out.json >out && grep '"fabric"' out.json
run_local fake 0 FAKE_CUDA_DEVICES=4 FAKE_CUDA_PEERS=none
grep -q equal out && echo equal
