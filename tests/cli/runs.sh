# Several runs: the median and the spread, of one method and of a comparison.
. "$(dirname "$0")/cli_lib.sh"
exec 2>&1
grid="proact run jacobi --size 96 --iterations 8 --tolerance 0 --machine v100x4"
run="$grid --method fused"
row_times() { # FILE: the times of the first method
    sed -n 's/.*"method": "fused", "time_ns": \([0-9]*\), "spread_ns": \([0-9]*\), "runs": \([0-9]*\),.*/\1 \2 \3/p' "$1"
}

# Emulated runs have consecutive seeds, so that single runs tell the median and the spread.
for seed in 5 6 7; do
    $run --seed $seed --json one.json >/dev/null
    row_times one.json
done | sort -n >singles
awk '{ t[NR] = $1 } END { print t[2], t[3] - t[1], NR }' singles >want
$run --seed 5 --runs 3 --json three.json >three
row_times three.json | cmp - want
$run --seed 5 --runs 3 --compare --json three.json >table
row_times three.json | cmp - want
grep -c '"runs": 3, "setup_s": [0-9.e-]*[,}]' three.json
sed -n 's/: [0-9.]* [mun]*s (virtual) (\(median of 3 runs\), spread [0-9.]* [mun]*s).*/: \1/p' three
sed -n 's/^\(time: the median of 3 runs\);.*/\1/p' table
$run --json one.json >one
grep -o '"runs": 1' one.json
grep median one

# The table and the JSON name the plan that auto selected.
$grid --compare --method auto,inline --json plans.json | grep -c '^auto: [a-z_0-9]* by .*\.$\|^auto: [a-z-]*\(, [0-9]* kB chunks\)*\.$'
grep -c '"method": "auto", "plan": "' plans.json
$grid | grep -c '^auto: '
$grid --method auto | grep -c '^auto: '

fails 2 $run --runs 0
fails 2 $run --runs 4
fails 2 $run --runs 101
fails 2 $run --runs 3 --trace t.json
fails 2 $run --runs 3 --checkpoint c.check
$run --runs 1 --log log.csv >/dev/null
