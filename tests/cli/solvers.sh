# Shortest paths and Jacobi's method: answers, files, the host's reference, invalid input.
. "$(dirname "$0")/cli_lib.sh"
exec 2>&1
times='s/: [0-9.]* [um]s (virtual), [0-9.]* [nu]s an/: T (virtual), T an/; s/[0-9.]* [kM]*B sent$/N sent/; s/^auto: .*/auto: PLAN/'
matrix='%%MatrixMarket matrix coordinate'
printf '%s integer general\n6 6 7\n1 2 7\n2 3 2\n1 3 12\n4 3 1\n3 1 5\n3 5 -4\n5 1 3\n' "$matrix" >g.mtx
sssp="proact run sssp g.mtx --machine v100x4"

for options in '' '--form frontier --type f32' '--kernel paper -n 2' '--weights unit --source 4'; do
    echo "--- $options"
    $sssp $options --reference --output paths | sed "$times"
    cat paths
done
$sssp --json - 2>/dev/null | grep -o '"reached": 4\|"farthest": 3\|"sum_of_distances": 21'
echo "--- band"
band="proact run band --machine v100x4"
$band --rows 300 --half-width 3 --tolerance 1e-6 --reference --log log.csv | sed "$times"
awk -F, 'NR > 1 { if ($1 != NR - 2) print "line " NR ": " $0; last = $3 } END { print (last < 1e-6) " below the tolerance" }' log.csv
$band --rows 300 --half-width 3 --type f32 --reference | tail -1
printf '%s real symmetric\n3 3 5\n1 1 4\n2 2 4\n3 3 4\n2 1 -1\n3 2 -1\n' "$matrix" >a.mtx
$band --matrix a.mtx --output - 2>/dev/null

echo "--- invalid input"
fails 1 $sssp --source 7
fails 2 $sssp --source 0
fails 1 $sssp --form frontier --kernel paper
fails 2 $sssp --tolerance 1e-3
fails 2 $sssp --tolerance 0
fails 2 $sssp --weights heavy
printf '%s real general\n2 2 2\n1 2 1\n2 1 1.5\n' "$matrix" >w.mtx
fails 1 proact run sssp w.mtx
printf '%s real general\n2 2 2\n1 2 1\n2 1 nan\n' "$matrix" >w.mtx
fails 1 proact run sssp w.mtx --type f32
printf '%s integer general\n3 3 3\n1 2 1\n2 3 -2\n3 2 1\n' "$matrix" >w.mtx
fails 1 proact run sssp w.mtx --machine v100x4 --output out
fails 1 $band --rows 300 --dominance 0.5 --output out
fails 1 $band --type f32 --tolerance 1e-9
fails 1 $band --rows 3
fails 1 $band --matrix g.mtx
fails 1 $band --matrix a.mtx --rows 5
printf '{"like": "v100x4", "description": "little memory", "source": "a test",
"device": {"memory_bytes": 1048576}}' >little.json
fails 1 proact run band --rows 30000 --machine ./little.json
rm little.json
ls
