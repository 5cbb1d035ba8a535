# link by method: which rows there are, and that nothing is faster than the link.
. "$(dirname "$0")/cli_lib.sh"
exec 2>&1
# A row's name, and its figure where that cannot be: 412 GB/s leave an H200, headers and all. How
# many CTAs are best hangs on some parts in a thousand.
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

# In a row without the host between them: less of a launch is in each.
for launches in 1 4; do
    proact bench link -m h200x2 --bytes 16M --method bulk --launches $launches | awk '/bulk to/ { print $5 }'
done | paste -sd ' ' | awk '{ print ($2 > $1 ? "more" : "no more"), "in a row" }'

# Beside measurements the rows that were measured; a file that says how it asked is asked alone.
echo '{"machine": "h200x2", "rows":
 [{"what": "polling to one peer, 256 KB, 8 CTAs", "measured": 100},
  {"what": "polling to one peer, best: 24 CTAs", "measured": 100}]}' >m.json
proact bench link --against m.json --bytes 4M --method polling | sed 1,2d | cut -c 1-52
echo '{"machine": "h200x2", "rows":
 [{"what": "p", "probe": "ping-pong", "peers": 1, "measured": 1}]}' >m.json
proact bench link --against m.json | sed 1,2d | cut -c 1-20

fails 2 proact bench link --method raw,telepathy
fails 1 proact bench link -m v100x4 -n 1 --method bulk
