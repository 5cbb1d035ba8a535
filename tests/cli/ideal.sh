# The terms of `proact run --compare` (docs/measuring.md): both terms of the ideal, and a
# cause where the ideal is above the number of devices.
. "$(dirname "$0")/cli_lib.sh"

# One device rereads its cells from slow memory; the half of each of two stays in the L2.
echo '{"like": "h200x2", "device": {"l2_bytes": 1048576, "memory_latency_ns": 3000,
 "memory_gbps": 5, "launch_us": 0.5, "launch_next_us": 0.5, "launch_host_us": 0.1,
 "launch_turn_us": 0.1, "launch_graph_us": 0.3}}' >small_l2.json
proact run jacobi --size 480 --iterations 8 --compare --method bulk -m small_l2.json >table
grep '^ideal:' table | sed 's/[0-9.]* [um]s/.../'
grep -A1 '^The ideal is above' table | sed 's/[0-9.]* [um]s/.../g'

# Short kernels: the ideal needs no cause, because it includes all launches. The terms follow
# from the times in the JSON file.
proact run jacobi --size 96 --iterations 16 --compare --machine k40x4 --json out.json >table
grep -c '^The ideal is above' table
awk -F'[:,} ]+' '
/"ideal": / { inside = 1 }
inside && /"time_ns"/ { ideal = $3 }
inside && /bulk_uncopied_ns/ { uncopied = $3 }
inside && /bulk_skipped_ns/ { skipped = $3 }
inside && /"speedup"/ { inside = 0; if ($3 > 4) print "ideal of", $3 }
function value(key,    rest) {
    if (!match($0, "\"" key "\": [^,}]*")) return "none"
    rest = substr($0, RSTART, RLENGTH); sub(/.*: /, "", rest)
    return rest
}
/"method": / {
    name = value("method")
    if (name == "\"bulk\"") { bulk = value("time_ns"); bulk_skipped = value("skipped_ns") }
    near(name " captured", value("captured_share"), ideal / value("time_ns"))
    if (value("overhead_share") != "null")
        near(name " overhead", value("overhead_share"), value("skipped_ns") / bulk_skipped - 1)
    if (value("hidden_share") != "null")
        near(name " hidden", value("hidden_share"),
             1 - (value("time_ns") - value("skipped_ns")) / (bulk - ideal))
    if (value("overhead_share") < -0.5 || value("captured_share") > 1.5) print name, "is odd"
}
function near(what, is, want) {
    if (is - want > 1e-9 || want - is > 1e-9) print what, is, "is not", want
}
END {
    if (ideal != (uncopied > skipped ? uncopied : skipped)) print "ideal", ideal, uncopied, skipped
    print name != "" ? "terms agree" : "no method"
}' out.json
