# Unified memory as a baseline of `proact run --compare`: the row, its hint, the file, and
# what is refused.
. "$(dirname "$0")/cli_lib.sh"
exec 2>&1
proact run jacobi --size 96 --iterations 8 --compare --method unified,inline --check -m v100x4 \
    -n 2 --json out.json >table
awk '/equal$|DIFFERS/ { print $1, $NF }' table
grep -A1 '^unified:' table | sed 's/hint, [a-z -]*\. By/hint, .... By/; s/[0-9.]* [num]s/.../g'
grep -o '"hint": "[a-z -]*", "time_ns"' out.json | sort | uniq -c
# The best hint is that of the row.
awk -F'[:,"]+' '/"method": "unified"/ { inside = 1 }
inside { line = line $0 }
END {
    match(line, /"time_ns": [0-9]*/); time = substr(line, RSTART + 11, RLENGTH - 11)
    least = 1e18
    sub(/.*"hints": /, "", line)
    while (match(line, /"time_ns": [0-9]*/)) {
        n = substr(line, RSTART + 11, RLENGTH - 11); line = substr(line, RSTART + RLENGTH)
        if (n + 0 < least && ++seen <= 4) least = n + 0
    }
    print time == least ? "the least time" : time " is not " least
}' out.json
grep -c '"faults": [1-9]' out.json
# Devices before sm_60 have no page faults, and no hints.
proact run jacobi --size 96 --iterations 8 --compare --method unified -m k40x4 -n 2 >table
awk '/equal$|DIFFERS/ { print $1, $NF }' table
grep '^unified:' table
# A machine that does not state the time of faults: all methods without unified.
echo '{"like": "v100x4", "device": {"fault_us": 0}}' >unknown.json
proact run jacobi --size 64 --iterations 4 --compare -m unknown.json -n 2 | grep -c '^  unified'
fails 1 proact run jacobi --size 64 --iterations 4 --compare --method unified -m unknown.json -n 2
fails 2 proact run jacobi --method unified
fails 2 proact run jacobi --compare --method unified --trace out.trace
