# Machines as their files say, and as measured; the GPUs here are those of a pretend driver,
# whose numbers mean nothing.
. "$(dirname "$0")/cli_lib.sh"
fails 0 proact topo v100x4 --probe
probe_local() { # ARGUMENT...
    echo "\$ [fake] proact topo $*"
    LD_LIBRARY_PATH=$DRIVERS/driver_fake FAKE_CUDA_DEVICES=3 FAKE_CUDA_PEERS='0>1,1>0' \
        proact topo "$@" >output
    echo "exit status $?"
}
blur() { # the folder's name first: it may have digits, too
    sed "s|$PWD|...|" output | sed 's/ *[0-9.e+-]*[0-9]h/       Nh/g; s/ [0-9.e+-]*[0-9]$/ N/; s/ [0-9.e+-]*[0-9]\([ ,]\)/ N\1/g
        s/  *N/ N/g; s/^Measured .* UTC/Measured WHEN/; s/-[0-9a-f]*\.json/-HASH.json/'
}
unset CUDA_VISIBLE_DEVICES
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
probe_local
blur | sed -n '1p; /^Measured/,$p'
# What is kept is not measured again, until it is asked for or the devices are others.
sed -i 's/^    \[0, [0-9.]*,/    [0, 123.5,/' cache/proact/links-*.json
probe_local local
grep -c 123.5 output
probe_local local --json
grep -c 123.5 output
CUDA_VISIBLE_DEVICES=0,1,2 probe_local local
grep -c 123.5 output
ls cache/proact | wc -l
probe_local local --fresh
grep -c 123.5 output
# A file that was cut off is as none.
for f in cache/proact/*; do
    printf '{"of": ' >"$f"
done
probe_local local --json
grep -c small_copy_us output
cat cache/proact/* | grep -c small_copy_us
# No place to keep it is no failure.
XDG_CACHE_HOME=/dev/null/cache probe_local local
tail -1 output
LD_LIBRARY_PATH=$DRIVERS/driver_none fails 1 proact topo local 2>&1 | sed "s|$DRIVERS|...|"
exec 2>&1
fails 2 proact topo v100x4 --fresh
fails 2 proact topo v100x4 --probe --json
fails 2 proact machines --probe
