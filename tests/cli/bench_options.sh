# Benchmarks: options that are refused before any measurement, and the effect of the others.
. "$(dirname "$0")/cli_lib.sh"
exec 2>&1
# An invalid value is refused with the list of valid ones.
fails 2 proact bench micro -m h200x2 --sleep --bytes 1M --ratio 0.7
fails 2 proact bench micro --chunk 3
fails 2 proact bench micro --chunk 2K
fails 2 proact bench micro --chunk 12K
fails 2 proact bench micro --chunk 64M --bytes 16M
fails 2 proact bench micro --threads 100
fails 2 proact bench micro --threads 50000
fails 2 proact bench micro -m k40x4 --bytes 1M --method polling --threads 8224
fails 2 proact bench micro --method raw
fails 2 proact bench micro --method bulk
fails 2 proact bench micro --method NCCL
fails 2 proact bench micro --method fused,NCCLL --peers
fails 2 proact bench micro --method inline+fused
fails 2 proact bench micro --method copy-engine+fused:134217728000000
fails 2 proact bench micro --store 5
fails 2 proact bench micro --store 8 --run 4
fails 2 proact bench micro --bytes 4K --store 4
fails 2 proact bench micro -m k40x4 --bytes 1M --store 4 --run 16
fails 2 proact bench micro --bytes 2K
fails 2 proact bench link --bytes 256K
fails 2 proact bench step --method NCCL
fails 2 proact bench link --machine nosuch 2>&1 | sed 's/there are .*, or/there are ..., or/'
# An option that the benchmark does not use is refused.
fails 2 proact bench step --ratio 1
fails 2 proact bench link --chunk 64K
fails 2 proact bench latency --method fused
fails 2 proact bench tracking --devices 2
fails 2 proact bench step --points 5
fails 2 proact bench tracking --points 5
fails 2 proact bench step --peers
fails 2 proact bench micro --against m.json --method fused
echo '{"machine": "h200x2", "rows":
 [{"what": "p", "probe": "ping-pong", "peers": 1, "measured": 1}]}' >m.json
fails 2 proact bench link --against m.json --method fused
# A file of another benchmark is refused.
echo '{"machine": "h200x2", "rows": [{"what": "what another one asks", "measured": 1}]}' >m.json
fails 1 proact bench latency --against m.json | tail -1
# An unusable output file is refused before minutes of work.
fails 1 proact bench latency -m h200x2 --json nowhere/r.json
ls

# Two methods that share the chunks, a method with and without chunks, agents of several
# sizes.
rows() {
    sed -n "s/^\(one-to-all\|all-to-all\) */\1 /p" | sed 's/\(bulk\|copies\|transfers\) [0-9.]* us/\1 ... us/g' |
        awk '{ rest = substr($0, index($0, $3)); sub(/ +[0-9.]+ +[0-9.]+ +[0-9.]+ +1$/, "", rest); gsub(/ +/, " ", rest); print $1, rest }'
}
quick="-m h200x2 --bytes 1M --ratio 1 --pattern one-to-all --sleep"
# shellcheck disable=SC2086 # words
{
    proact bench micro $quick --method copy-engine+fused:256K,inline | rows
    proact bench micro $quick --method copy-engine+fused:256K --chunk 64K | rows
    proact bench micro $quick --method polling | rows
    proact bench micro $quick --method polling,fused --chunk 64K --threads 2048 | rows
    proact bench micro $quick --method polling --chunk 64K --threads 48K | rows
    proact bench micro -m k40x4 --bytes 1M --ratio 1 --pattern one-to-all --method polling | rows
    proact bench step -m h200x2 --method copy-engine+fused | cut -c 1-52
}

# The planner knows that stores of words are slower than the last CTA, and wide ones faster.
for words in "" "--store 4 --run 4"; do
    # shellcheck disable=SC2086 # words
    proact bench micro -m h200x2 --sleep --bytes 4M --ratio 0.5 --pattern one-to-all --method auto $words --json r.json >/dev/null
    sed -n 's/.*"method": "auto", "plan": "\(method=[a-z]*\).*/\1/p' r.json
done
# Two producers, and a CTA of the smallest array.
proact bench micro -m h200x4 --bytes 4K --sleep --ratio 1 --pattern two-to-all --method auto --json r.json >/dev/null
grep -c '"pattern": "two-to-all", "ratio": 1, "method": "auto", "plan": "method=inline"' r.json

# Other libraries do not run on emulated machines; the message reports it.
# shellcheck disable=SC2086 # words
fails 1 proact bench micro $quick --peers --method NCCL
