# Each method has a name and a summary.
proact methods | awk 'NF < 4 { print "no sentence: " $0 } { print $1 }'

# Two methods may share the chunks. A method that cannot be combined is refused once.
run="proact run jacobi --size 128 --iterations 2 -n 2 --compare"
$run --method copy-engine+fused:4K | awk '$1 ~ /\+/ { print $1, $NF }'
$run --method copy-engine+bulk || echo "exit status $?"

# Machines without the links of one pair and of all pairs: pairs without peer access have
# copies, or the methods that need it are refused.
links() {
    echo "{\"like\": \"v100x4\", \"links\": {\"matrix_gbps\": $2}}" >"$1.json"
}
links pair '[[0, 50, 50, 50], [50, 0, 50, 0], [50, 50, 0, 50], [50, 0, 50, 0]]'
links none '[[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]'
proact methods | tail -1
for machine in pair none; do
    proact methods --machine ./$machine.json
    proact topo ./$machine.json | tail -3
done
proact run jacobi --size 512 --iterations 2 --machine ./pair.json \
    --method inline,fused,relay --json pair.out |
    awk '$NF == "equal" { print $1, $NF } /peer access/'
grep -o '"copies": "[^"]*"' pair.out
proact run jacobi --size 64 --iterations 2 --machine ./pair.json | tail -1
proact run jacobi --size 64 --iterations 2 --machine ./none.json | tail -1 | cut -c 1-15
for arguments in "now" "--machine" "--machine nosuch.json" "--frobnicate"; do
    proact methods $arguments || echo "exit status $?"
done
