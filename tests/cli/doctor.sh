# `proact doctor` with several drivers. The rows of compilers and of device-side launches
# depend on the computer and on the build, so they are removed.
. "$(dirname "$0")/cli_lib.sh"
doctor() { # DRIVER [NAME=VALUE...]
    kind=$1
    shift
    echo "\$ [$kind] $* proact doctor"
    env LD_LIBRARY_PATH="$DRIVERS/driver_$kind" "$@" proact doctor >output
    status=$?
    sed "s|$DRIVERS|...|; s|[0-9]* machine files|N machine files|; /^ok       compilers/d;
        /^[a-z]* *launches/d; /> for method dynamic/d" output
    echo "exit status $status"
}
unset CUDA_VISIBLE_DEVICES CUDA_MODULE_LOADING CUDA_DEVICE_MAX_CONNECTIONS
fails 0 proact doctor --help
doctor fake
grep -c '^[a-z]* *launches   kernels can' output
# From here on only the rows that differ.
changes() { # DRIVER [NAME=VALUE...]
    doctor "$@" | grep -v '^ok ' | grep -v '^$'
}
changes none
changes old
changes early
changes early CUDA_MODULE_LOADING=EAGER
changes fake FAKE_CUDA_DEVICES=0
changes fake FAKE_CUDA_DEVICES=0 CUDA_VISIBLE_DEVICES=
changes fake FAKE_CUDA_FAIL=cuInit:1:802
changes fake FAKE_CUDA_FAIL=cuInit:1:999
changes fake FAKE_CUDA_DEVICES=1
changes fake FAKE_CUDA_DEVICES=3 FAKE_CUDA_NAMES=A,A,B
changes fake 'FAKE_CUDA_NAMES=NVIDIA H200 MIG 1g.18gb'
changes fake FAKE_CUDA_DEVICES=3 'FAKE_CUDA_PEERS=0>1,1>0,0>2,1>2'
changes fake FAKE_CUDA_DEVICES=4 FAKE_CUDA_PEERS=none
changes fake FAKE_CUDA_ATTRIBUTES=20=3
changes fake FAKE_CUDA_ATTRIBUTES=20=2 FAKE_CUDA_FAIL=cuDevicePrimaryCtxRetain:1:46
changes fake CUDA_DEVICE_MAX_CONNECTIONS=4
changes fake CUDA_DEVICE_MAX_CONNECTIONS=many
changes fake FAKE_CUDA_FAIL=cuLaunchKernel:1:719
changes fake FAKE_CUDA_FAIL=cuModuleLoadDataEx:3:222
LD_LIBRARY_PATH=$DRIVERS/driver_fake FAKE_CUDA_ATTRIBUTES=132=1 proact doctor | grep multicast
# A computer without a driver. A computer with a driver prints the expected lines instead.
if ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1'; then
    printf '%s\n' 'note     driver     there is no CUDA driver: programs run on emulated GPUs' 0
else
    proact doctor >output
    code=$?
    sed -n 1p output
    echo $code
fi
