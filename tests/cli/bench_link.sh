# `bench link` by method: its rows, and that no row is faster than the link.
. "$(dirname "$0")/cli_lib.sh"
exec 2>&1
# Prints the names of rows, and the figure only where it is impossible: an H200 sends at
# most 412 GB/s with headers. The best number of CTAs depends on small differences.
rows() {
    sed 1,2d | awk '{ what = substr($0, 1, 52); sub(/ +$/, "", what); sub(/best: [0-9]+/, "best: some", what); split(substr($0, 53), v)
        fine = v[2] == "us" ? v[1] < 100 : v[1] > 10 && v[1] < 400
        print what (fine ? "" : ": " v[1] " " v[2]) }'
}
proact bench link -m h200x2 --bytes 16M \
    --method bulk,inline,fused,dynamic,copy-engine,relay,copy-engine+fused:1M | rows
proact bench link -m h200x4 -n 3 --bytes 4M --method polling | rows
proact bench link -m v100x4 --bytes 1M --method hardware,inline | rows
proact bench link -m v100x4 -n 2 --method raw | rows | grep -c 'copy engine\|stores'

# Launches in a row without the host between them amortize the launch overhead.
for launches in 1 4; do
    proact bench link -m h200x2 --bytes 16M --method bulk --launches $launches | awk '/bulk to/ { print $5 }'
done | paste -sd ' ' | awk '{ print ($2 > $1 ? "more" : "no more"), "in a row" }'

# With --against, the measured rows run. A file that names its probe runs that probe only.
echo '{"machine": "h200x2", "rows":
 [{"what": "polling to one peer, 256 KB, 8 CTAs", "measured": 100},
  {"what": "polling to one peer, best: 24 CTAs", "measured": 100}]}' >m.json
proact bench link --against m.json --bytes 4M --method polling | sed 1,2d | cut -c 1-52
echo '{"machine": "h200x2", "rows":
 [{"what": "p", "probe": "ping-pong", "peers": 1, "measured": 1}]}' >m.json
proact bench link --against m.json | sed 1,2d | cut -c 1-20

fails 2 proact bench link --method raw,telepathy
fails 1 proact bench link -m v100x4 -n 1 --method bulk
