# Machines from files and from measurements. The local GPUs are those of a fake driver,
# whose measured numbers have no meaning.
. "$(dirname "$0")/cli_lib.sh"
fails 0 proact topo v100x4 --probe
probe_local() { # ARGUMENT...
    echo "\$ [fake] proact topo $*"
    LD_LIBRARY_PATH=$DRIVERS/driver_fake FAKE_CUDA_DEVICES=3 FAKE_CUDA_PEERS='0>1,1>0' \
        proact topo "$@" >output
    echo "exit status $?"
}
blur() { # the name of the folder first, which may contain digits
    sed "s|$PWD|...|" output | sed 's/ *[0-9.e+-]*[0-9]h/       Nh/g; s/ [0-9.e+-]*[0-9]$/ N/; s/ [0-9.e+-]*[0-9]\([ ,]\)/ N\1/g
        s/  *N/ N/g; s/^Measured .* UTC/Measured WHEN/; s/-[0-9a-f]*\.json/-HASH.json/'
}
unset CUDA_VISIBLE_DEVICES
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
probe_local
blur | sed -n '1p; /^Measured/,$p'
# A cached measurement is reused until --fresh is given or the devices differ.
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
# A truncated cache file is ignored.
for f in cache/proact/*; do
    printf '{"of": ' >"$f"
done
probe_local local --json
grep -c small_copy_us output
cat cache/proact/* | grep -c small_copy_us
# A missing cache folder is no failure.
XDG_CACHE_HOME=/dev/null/cache probe_local local
tail -1 output
LD_LIBRARY_PATH=$DRIVERS/driver_none fails 1 proact topo local 2>&1 | sed "s|$DRIVERS|...|"
exec 2>&1
fails 2 proact topo v100x4 --fresh
fails 2 proact topo v100x4 --probe --json
fails 2 proact machines --probe
