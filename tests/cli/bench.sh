# Benchmarks: wrong command lines, wrong files, and the content of a report except its
# times.
. "$(dirname "$0")/cli_lib.sh"
exec 2>&1
fails 2 proact bench
fails 2 proact bench frobnicate
fails 2 proact bench link latency
fails 2 proact bench micro --chnk 64K
fails 2 proact bench micro --method telepathy
fails 2 proact bench micro --method fused,telepathy
fails 2 proact bench micro --pattern some-to-some
fails 2 proact bench micro --ratio -1
fails 2 proact bench micro --launches 0
fails 2 proact bench micro --bytes 3M
fails 2 proact bench micro --bytes 2048M
fails 2 proact bench micro --host-threads 0
fails 2 proact bench link --within 5
fails 2 proact bench link -m v100x4 -n 5
fails 1 proact bench link -m v100x4 -n 1
fails 1 proact bench link --against nothing.json
echo '{"machine": "v100x4", "rows": [{"pattern": "one-to-all", "measured": 1}]}' >m.json
fails 1 proact bench link --against m.json
echo '{"machine": "v100x4", "rows": [{"probe": "tea", "what": "leaves", "measured": 1}]}' >m.json
fails 1 proact bench link --against m.json
echo '{"machine": "v100x4", "rows": [{"probe": "ping-pong", "what": "p", "measured": 0}]}' >m.json
fails 1 proact bench latency --against m.json

# --within fails a benchmark that is far from the measured values.
echo '{"machine": "v100x4", "rows":
 [{"probe": "ping-pong", "what": "p", "measured": 1e6}]}' >m.json
proact bench latency --against m.json --within 5 >output && echo "not noticed"
tail -1 output
# A machine other than the measured one gives a warning.
proact bench latency -m h200x2 --against m.json 2>&1 >output | head -1
proact bench latency -m v100x4 --against m.json 2>&1 >output | head -1

# A note separates rows of one method; files without notes are accepted too.
echo '{"machine": "h200x2", "rows":
 [{"pattern": "one-to-all", "ratio": 1, "method": "inline", "measured": 1.5},
  {"pattern": "one-to-all", "ratio": 1, "method": "inline", "note": "bulk stores", "measured": 1.5}]}' >m.json
proact bench micro --against m.json --bytes 1M --sleep --json r.json | sed -n 's/\(inline.*\) [0-9].*/\1/p' | sed 's/ *[0-9.]* *$//'
grep -o '"method": "[^"]*", "note": "[^"]*"' r.json

proact bench micro -m v100x4 -n 3 --bytes 1M --ratio 1 --chunk 64K --sleep --json r.json >output
sed 's/"date": "[^"]*"/"date": "..."/; s/"commit": "[^"]*"/"commit": "..."/' r.json |
    sed 's/"\(took_ns\|bulk_[a-z]*_ns\|ideal\|emulated\|lowest\|highest\)": [0-9][0-9.e+-]*/"\1": .../g'
ls
