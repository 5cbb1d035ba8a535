# A run that fails midway prints a message, exits with 1, leaves no file, and keeps older
# files.
. "$(dirname "$0")/cli_lib.sh"
exec 2>&1
run() {
    fails 1 proact run jacobi --size 96 --iterations 30 --compare "$@" --json out.json --trace out.trace
}
# The first method runs on this machine, the second one cannot.
echo '{"like": "v100x4", "links": {"matrix_gbps":
      [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]}}' >apart.json
run --machine ./apart.json --method inline
ls
echo old >out.json
echo old >out.trace
run --machine ./apart.json --method inline
cat out.json out.trace
rm out.*

# The disk limit is 8 KiB a file, and the trace is longer.
(
    trap '' XFSZ
    ulimit -f 16
    run -n 2 --method bulk
)
ls
# The disk limit is 1 KiB, and the report is longer.
quiet() {
    "$@" >/dev/null
}
(
    trap '' XFSZ
    ulimit -f 2
    fails 1 quiet proact run jacobi --size 96 --iterations 30 --compare -n 2 --json out.json
) | cat
ls
