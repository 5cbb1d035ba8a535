# A run that breaks midway says so, exits with 1, and leaves no file, nor harms an older one.
. "$(dirname "$0")/cli_lib.sh"
exec 2>&1
run() {
    fails 1 proact run jacobi --size 96 --iterations 30 "$@" --json out.json --trace out.trace
}
# The second method cannot run on this machine; the first has.
echo '{"like": "v100x4", "links": {"matrix_gbps":
      [[0, 99, 0, 0], [99, 0, 0, 0], [0, 0, 0, 99], [0, 0, 99, 0]]}}' >apart.json
run --machine ./apart.json --method inline
ls
echo old >out.json
echo old >out.trace
run --machine ./apart.json --method inline
cat out.json out.trace
rm out.*

# The disk takes 8 KiB a file, and the trace is longer.
(
    trap '' XFSZ
    ulimit -f 16
    run -n 2 --method bulk
)
ls
# The disk takes 1 KiB, and the report is longer.
quiet() {
    "$@" >/dev/null
}
(
    trap '' XFSZ
    ulimit -f 2
    fails 1 quiet proact run jacobi --size 96 --iterations 30 -n 2 --json out.json
) | cat
ls
