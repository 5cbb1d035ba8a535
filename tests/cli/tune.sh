# Tuning: searches of an application, programs that fail, and each subcommand.
. "$(dirname "$0")/cli_lib.sh"
exec 2>&1
export XDG_DATA_HOME="$PWD/home" XDG_DATA_DIRS=/nowhere
unset PROACT_PROFILE PROACT_EFFORT
run="proact run jacobi --size 64 --iterations 20 --machine v100x4"
# Times and digests depend on the compiler of the kernels and on the machine file.
plain() {
    sed -E "s|$PWD/||g; s/emulated-[0-9a-f]{8}/emulated-D/g; s/[0-9]{4}-[0-9]{2}-[0-9]{2}/DATE/g
        s/[0-9.]+ [mun]?s\b/T/g; s/[0-9.]+ times/N times/g
        s/ +/ /g; s/chunk=[0-9]+: /chunk=C: /"
}

tells() { # STATUS COMMAND...: as fails, with plain output
    fails "$@" 2>&1 | plain
}

# A search writes the fastest plan, and a run without a method uses it.
$run | grep -o '^[a-z ]* on 4 emulated' # the default
proact tune $run --method polling --chunk 8K --threads 256 | plain
$run | grep -o '^[a-z ]* on 4 emulated'
PROACT_PROFILE=none $run | grep -o '^[a-z ]* on 4 emulated'
$run --method bulk | grep -o '^[a-z ]* on 4 emulated'
proact tune explain | plain
proact tune check | plain
proact tune explain jacobi_step --svg plans.svg >/dev/null
"$SVG_CHECK" plans.svg
tells 1 proact tune explain absent

# Estimate times no candidate; exhaustive times all.
proact tune --effort estimate --profile e.profile $run | plain
grep -c 'why=timed' e.profile
proact tune --effort exhaustive --profile x.profile $run --method fused | plain
grep -c 'why=timed' x.profile
grep -c 'why=predicted\|why=budget' x.profile
$run --profile x.profile | grep -o '^[a-z ]* on 4 emulated'

# The copies of bulk are timed first, and are a candidate. Several shapes have a plan each.
proact tune --profile b.profile proact run jacobi --size 128 --iterations 20 --machine h200x4 >made
grep -c 'why=timed plan method=bulk ' b.profile
proact make ratings --users 60 --items 20 --draws 600 -o ratings.mtx >made
proact tune --profile s.profile proact run als ratings.mtx --rank 8 --iterations 1 \
    --tolerance 0 --precision f32 --machine h200x2 | sed -n '/combinations/p'
rm made ratings.mtx b.profile s.profile

# The predictions are those of `proact model predict` for the same launch in numbers. The text
# has three digits.
proact tune --effort estimate --profile m.profile proact run jacobi --size 512 --iterations 4 \
    --machine v100x4 --chunk 4K >tuned
proact tune explain --profile m.profile >explained
us=$(sed -n 's/^an iteration: \([0-9.]*\) us.*/\1/p' tuned)
bytes=$(sed -n 's/^an iteration: .*, \([0-9]*\) bytes from.*/\1/p' tuned)
proact model predict --machine v100x4 --bytes $((4 * bytes)) --kernel-us "$us" >predicted
awk '{ sub(/4 KB/, "") }
    FNR == NR { if (!($1 in model)) model[$1] = $2; next }
    sub(/method=/, "", $1) && $2 == "chunk=4096" && $1 in model && $3 !~ /^threads/ {
        off = $3 / model[$1] - 1
        print $1, (off * off < 0.000025 ? "equal" : $3 " us, not " model[$1])
    }' predicted explained | sort
rm m.profile tuned explained predicted

# A plan by the user: only what the machine can execute.
step=jacobi_step/1,1,1/32800
proact tune $run -n 2 --method inline >two
tells 1 proact tune pin jacobi_step method=bulk
tells 1 proact tune pin absent method=bulk
proact tune forget --all >two
proact tune $run --method inline >two
for plan in method=absent colour=red devices=3 chunk=5000 threads=100000 axis=3 interior=1 \
    step=4096 method= method=bulk; do
    echo "pin $plan"
    proact tune pin $step $plan
done
# Pinned plans are not measured again.
proact tune --effort estimate $run >/dev/null
proact tune explain | grep -c '(pinned)'
fails 2 proact tune pin x

# Devices that do not reach each other: some methods are not possible.
echo '{"like": "v100x4", "device_count": 2, "links": {"matrix_gbps": [[0, 0], [0, 0]]}}' >apart.json
proact tune --profile apart.profile proact run jacobi --size 64 --iterations 20 -m apart.json >two
proact tune explain --profile apart.profile | grep 'method=fused\|method=inline' | plain
fails 1 proact tune pin jacobi_step method=fused --profile apart.profile
fails 1 proact tune pin jacobi_step method=fused --profile apart.profile --machine apart.json

# Files: merged, checked, and forgotten.
fails 0 proact tune merge x.profile e.profile --profile all.profile
proact tune check all.profile x.profile | plain
tells 1 proact tune forget absent --profile x.profile
proact tune forget jacobi_step --profile x.profile | plain
fails 0 proact tune forget --all --profile all.profile
fails 2 proact tune forget
fails 2 proact tune merge
sed '2s/runs=/runs=1/' home/proact/profile >torn.profile
proact tune check torn.profile 2>&1 | sed 's/checksum is .*/checksum/'
proact tune merge torn.profile --profile y.profile >/dev/null 2>&1 || echo "not merged"
ls y.profile 2>/dev/null
$run --profile torn.profile >/dev/null 2>&1 || echo "not used"
PROACT_PROFILE=torn.profile $run 2>&1 >/dev/null | sed 's/checksum is .*/checksum/'

# A program keeps its exit status.
tells 7 proact tune sh -c 'exit 7'
tells 137 proact tune sh -c 'kill -9 $$'
fails 127 proact tune ./absent
tells 0 proact tune --effort exhaustive --time 2 --profile env.profile sh -c \
    'echo $PROACT_EFFORT $PROACT_EFFORT_SECONDS; cd /; echo $PROACT_PROFILE'
tells 3 proact tune -- sh -c 'exit 3'

fails 2 proact tune
for time in 0 -1 x '' nan 1e99; do
    fails 2 proact tune --time "$time" true
done
fails 2 proact tune --effort much true
fails 2 proact tune --colour red true
fails 2 proact tune explain --colour red
fails 2 proact tune $run --json x.json
fails 2 proact tune proact run absent
fails 1 proact tune $run -n 1
fails 1 proact tune --profile no/such/folder $run
fails 2 $run --profile x.profile --method bulk
fails 1 $run --profile absent.profile
env -u HOME -u XDG_DATA_HOME proact tune true
ls
proact tune --help >help
proact help tune | cmp - help
proact tune pin --help | cmp - help
head -1 help
