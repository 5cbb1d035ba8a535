# A small graph and a small grid end to end: results, and the content of the table and
# files.
. "$(dirname "$0")/cli_lib.sh"
printf '%%%%MatrixMarket matrix coordinate pattern general\n%% vertex i = i-th line of who\n5 5 7\n1 2\n1 3\n2 3\n4 3\n4 3\n4 4\n3 1\n' >g.mtx
printf 'anna\nbob\ncarl\ndora\nemil\n' >who
gzip -c g.mtx >g.mtx.gz
proact run pagerank g.mtx.gz --compare --check >table
sed '/^  method/,$d' table
grep -q '^  method .* speedup  captured  overhead ' table || echo "no column in the table"
grep -q 'without the time of its copies, [0-9.]* .s, and' table || echo "no term of the ideal"
grep -q 'transfers, [0-9.]* .s\.' table || echo "no term of the ideal"
awk '/equal$|DIFFERS/ { print $1, $NF }' table

proact run pagerank g.mtx -n 2 --compare --method fused --json out.json --trace out.trace >table
awk '/equal$|DIFFERS/ { print $1, $NF }' table
for key in proact commit date command seed clock machine one_device methods time_ns skipped_ns \
    bulk_uncopied_ns bulk_skipped_ns captured_share overhead_share hidden_share sent_bytes packets equal_to_one_device; do
    grep -q "\"$key\"" out.json || echo "no $key in the JSON file"
done
for word in '"device 1"' '"kernel"' '"stream 0"' '"link to device' '"ts"' '"dur"'; do
    grep -q "$word" out.trace || echo "no $word in the trace"
done
ls out.*

# JSON is appended to stdout; the table goes to stderr.
echo before >log
proact run pagerank g.mtx -n 2 --compare --method fused --json - >>log 2>table
sed -n 1,2p log
tail -1 log
awk '/equal$|DIFFERS/ { print $1, $NF }' table
proact run pagerank g.mtx -n 2 --compare --method fused --json - 2>/dev/null | grep -c '"proact"'
ls -- - 2>/dev/null

# The same seed gives the same run to the nanosecond.
proact run jacobi --size 65 --iterations 10 -n 2 --seed 7 --compare >a
proact run jacobi --size 65 --iterations 10 -n 2 --seed 7 --compare >b
cmp a b && sed -n 1,3p a
awk '/equal$|DIFFERS/ { print $1, $NF }' a
