# Bad input: one message on stderr, exit status 1, and no output file.
. "$(dirname "$0")/cli_lib.sh"
exec 2>&1
banner='%%MatrixMarket matrix coordinate pattern general'
run() {
    fails 1 proact run pagerank "$1" --json out.json --trace out.trace --method bulk
}
: >empty.mtx
printf '%s\n3 3 3\n1 2\n2 3\n' "$banner" >truncated.mtx
printf '%s\n3 3 1\n1 2\n2 3\n' "$banner" >more.mtx
printf '%s\n3 3 2\n1 2\ntwo 3\n' "$banner" >words.mtx
printf '%s\n3 3 2\n1 2\n2 4\n' "$banner" >outside.mtx
printf '%s\n3 3 2\n0 1\n1 2\n' "$banner" >zero.mtx
printf '%s\n3 4 2\n1 2\n2 3\n' "$banner" >rectangular.mtx
printf '%s\n4000000000 4000000000 9000000000000000000\n1 2\n' "$banner" >gigantic.mtx
printf '%s\n9 9 9000000000000000000\n1 2\n' "$banner" >many.mtx
printf '%%%%MatrixMarket matrix array real general\n1 1\n1\n' >array.mtx
printf '%%%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n' >complex.mtx
head -c 100000 data/debian12_pkgdeps.mtx.gz >torn.mtx.gz
for graph in none empty truncated more words outside zero rectangular gigantic many array complex; do
    run $graph.mtx
done
run torn.mtx.gz
run data

printf '%s\n3 3 2\n1 2\n2 3\n' "$banner" >good.mtx
printf 'a\nb\n' >two_names
fails 1 proact run pagerank good.mtx --names two_names
fails 1 proact run pagerank good.mtx --names no_names
fails 1 proact run pagerank good.mtx --machine ./none.json
echo '{"like": "v100x4", "device_count": 0}' >wrong.json
fails 1 proact run pagerank good.mtx --machine wrong.json
fails 1 proact topo ./none.json
fails 1 proact topo wrong.json
fails 1 proact run pagerank good.mtx --json no/such/folder.json
fails 1 proact run pagerank good.mtx --method bulk --trace no/such/folder.json
ls | grep '^out\.'
true
