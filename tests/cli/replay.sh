# Times of all methods from recorded costs: `proact run --compare --replay` and `--sample`.
. "$(dirname "$0")/cli_lib.sh"

# A replay sends what an execution sends, and its answer is that of one device.
proact run jacobi --size 96 --iterations 8 --compare --method inline,polling --json a.json >a
proact run jacobi --size 96 --iterations 8 --compare --method inline,polling --replay \
    --json b.json >b
grep -E '^(8 iterations|Jacobi)' b
grep -cE '  not computed$' b
grep '^answer: ' b
for key in sent_bytes packets; do
    for file in a b; do
        grep -o "\"$key\": [0-9]*" $file.json | tr '\n' ' ' >$file.$key
    done
    cmp a.$key b.$key && echo "equal $key"
done
grep -cE '"replayed": true' b.json
grep -cE 'equal_to_one_device' b.json

# A sample computes no answer.
proact run jacobi --size 96 --iterations 8 --compare --method fused --sample 4 --json c.json >c
grep '^answer: ' c
grep -E '"(sample|answer)":' c.json

refused() {
    proact run jacobi --size 96 "$@"
    echo "exit status $?"
}
refused --replay
refused --sample 4
refused --compare --sample 4
refused --compare --sample 1 --iterations 8
refused --compare --replay --check
refused --compare --replay --output cells.npy
