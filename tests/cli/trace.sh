# Perfetto accepts every event of the trace of each method; the trace has every device and
# link.
. "$(dirname "$0")/cli_lib.sh"
for method in bulk inline fused polling hardware; do
    proact run jacobi --compare --size 96 --iterations 6 -n 3 --method $method --trace t.json \
        --json out.json >table || exit 1
    if ! "$TRACE_CHECK" t.json out.json >rows; then
        echo "$method: $(tail -1 rows)"
    fi
    for row in '0 device 0' '1 device 1' '2 device 2' '0 link to device 1' '2 link to device 0'; do
        grep -q "^$row\$" rows || echo "$method: no row '$row'"
    done
    grep -q '"cat": "kernel"' t.json || echo "$method: no kernel"
done

# A pipe stays a pipe, a link stays a link, and files next to the trace are unchanged.
again() {
    proact run jacobi --compare --size 96 --iterations 6 -n 3 --method polling --trace "$1" \
        --json out.json >table || exit 1
}
rm t.json
mkfifo pipe
echo mine >pipe.part
cat pipe >came &
again pipe
if [ ! -p pipe ]; then
    echo "the pipe is a pipe no more"
    kill $! # there is no writer
fi
wait
"$TRACE_CHECK" came out.json >rows || echo "pipe: $(tail -1 rows)"
grep -qx mine pipe.part || echo "pipe.part was overwritten"
echo old >t.json
ln -s t.json link
again link
[ -L link ] || echo "the link is a link no more"
"$TRACE_CHECK" t.json out.json >rows || echo "link: $(tail -1 rows)"
