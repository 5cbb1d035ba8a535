# The fit of an emulated machine, and machine files from the output of other tools. Only
# copies have times that do not depend on the compiler of the kernels.
. "$(dirname "$0")/cli_lib.sh"
cp "$(dirname "$0")"/../model/import/* .
fit="proact model fit --machine h200x2 --initiator copy --bytes 256K"
$fit --within 15 >output || echo "exit status $?"
sed -n '1p; /^copy *pipelined/p; s/ *[0-9.]*\/[0-9.]* *.*//; /^copy *fit/p' output
$fit --json >fit.json
grep -c '"initiator": "copy", "bytes": [0-9]*, "depth": 64' fit.json
$fit --within 1e-9 >/dev/null # no fit is that good
echo "exit status $?"
# Another machine's keys give other derived values.
$fit --keys v100x4 | grep '^copy *pipelined o'
for file in *.json *.txt; do
    [ $file != fit.json ] || continue
    proact model fit --from $file >machine.out 2>origins || echo "exit status $?"
    cat machine.out
    sed '/^Estimates/q' origins
    cp machine.out machine.json
    proact topo ./machine.json >output || echo "exit status $?"
    rm machine.json machine.out
done 2>&1
proact model fit --from nvbandwidth_0.5.json --like v100x4 2>&1 >/dev/null | tail -3
exec 2>&1
printf 'GPU0 to GPU1: 50 GB/s\n' >other.text
fails 1 proact model fit --from other.text
fails 1 proact model fit --from missing.json
fails 1 proact model fit --from smi_switch.txt --like k40x4
fails 1 proact model fit --machine h200x2 --time 1e-9
fails 1 proact model fit --machine v100x4 --initiator bulk-store
fails 2 proact model fit --machine unknown
fails 2 proact model fit --initiator copy,stores
fails 2 proact model fit --time now
fails 2 proact model fit --bytes 1K
fails 2 proact model fit --from other.text --json --time 1
fails 2 proact model fit --like v100x4
fails 2 proact model fit copy
fails 2 proact model fit --with
fails 2 proact model
fails 2 proact model fits
