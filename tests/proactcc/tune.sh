#!/bin/sh
# Usage: tune.sh PROACTCC SOURCE PROACT. Tuning of an unchanged program on emulated devices:
# a second run times nothing and prints the same; a program that fails or is killed keeps
# its exit status, and the profile keeps the complete measurements.
set -u
proactcc=$1 here=$2/tests/proactcc proact=$3
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
export PROACT_MACHINE=h200x4 XDG_DATA_HOME="$scratch/home" XDG_DATA_DIRS=/nowhere
unset PROACT_PROFILE PROACT_EFFORT
code=0
"$proactcc" -arch=sm_90 "$here/tune.cu" -o tune || exit 1

# check WHAT STATUS PATTERN COMMAND...: exit status and a line of stderr.
check() {
    what=$1 wanted=$2 pattern=$3
    shift 3
    timeout 120 "$@" >stdout 2>stderr </dev/null
    status=$?
    [ $status = "$wanted" ] && grep -q "$pattern" stderr && return
    echo "$what: status $status, expected $wanted and '$pattern'"
    cat stdout stderr
    code=1
}

./tune 24 >plain || exit 1
check "the first run" 0 "home/proact/profile: plans: 2, of which new: 2" "$proact" tune ./tune 24
cmp stdout plain || code=1
export PROACT_REPORT=1
check "the second run" 0 "profile: stored plans used: 2, launches timed: 0" ./tune 24
cmp stdout plain || code=1
check "another number of devices" 0 "the keys differ in devices (3 here, 4 in the profile)" \
    env PROACT_DEVICES=3 ./tune 24
check "no profile" 0 "single device: [0-9.]* us on one device" env PROACT_PROFILE=none ./tune 24
grep 'proact: profile' stderr && code=1
unset PROACT_REPORT

# The first kernel is decided before the program fails.
check "a failure" 3 "failed.profile: plans: 1, of which new: 1" \
    "$proact" tune --profile failed.profile ./tune 24 exit
check "a kill" 137 "killed.profile: plans: 1, of which new: 1" \
    "$proact" tune --profile killed.profile ./tune 24 kill
"$proact" tune check failed.profile killed.profile | grep -c 'entries: 1' | grep -qx 2 || code=1
check "more measurements" 0 "plans: 2" \
    "$proact" tune --profile all.profile --effort exhaustive ./tune 24
grep '^candidate' all.profile | grep -q 'runs=[12] ' && code=1 && cat all.profile

# A graph: its recording has entries, and a second run times nothing.
export XDG_DATA_HOME="$scratch/nothing"
./tune 40 graph >plain.graph || exit 1
check "a graph" 0 "graph.profile: plans: 4, of which new: 4" \
    "$proact" tune --effort estimate --profile graph.profile ./tune 40 graph
cmp stdout plain.graph || code=1
grep -c '^problem.* recorded=1 predicted=[1-9][0-9]* measured=[1-9]' graph.profile | grep -qx 2 ||
    { code=1; cat graph.profile; }
"$proact" tune explain --profile graph.profile | grep -q '^long_work/.*/recorded on 4' || code=1
check "the graph again" 0 "profile: stored plans used: 4, launches timed: 0" \
    env PROACT_REPORT=1 PROACT_PROFILE=graph.profile ./tune 40 graph
cmp stdout plain.graph || code=1

# A plan by the user, also of a recording; nothing that the machine cannot execute.
cp graph.profile pinned.profile
check "an unknown method" 1 "unknown method 'absent'" \
    "$proact" tune pin long_work/256,1,1/524288/recorded method=absent --profile pinned.profile
check "an unknown field" 1 "plan field 'colour' is unknown" \
    "$proact" tune pin long_work/256,1,1/524288/recorded colour=red --profile pinned.profile
check "an unknown shape" 1 "no shape 'absent'" \
    "$proact" tune pin absent method=bulk --profile pinned.profile
check "too many devices" 1 "devices=5" \
    "$proact" tune pin long_work/256,1,1/524288/recorded devices=5 --profile pinned.profile
cmp graph.profile pinned.profile || code=1
"$proact" tune pin long_work/256,1,1/524288/recorded devices=1 --profile pinned.profile >/dev/null || code=1
check "a run with it" 0 "stored plans used: 4, launches timed: 0" \
    env PROACT_REPORT=1 PROACT_PROFILE=pinned.profile ./tune 40 graph
cmp stdout plain.graph || code=1

# Profiles that cannot be used or written leave the program as it is.
head -c 300 all.profile >torn.profile
check "a torn profile" 0 "the profile is not used: torn.profile:2: " env PROACT_PROFILE=torn.profile ./tune 24
cmp stdout plain || code=1
check "a folder without permission" 1 "cannot be written" \
    "$proact" tune --profile /proc/profile ./tune 24
output=$( (
    trap '' XFSZ
    ulimit -f 0 # a full disk
    exec "$proact" tune --profile full.profile ./tune 24
) 2>&1)
[ $? = 0 ] || { echo "a full disk: $output"; code=1; }
echo "$output" | grep -q 'full.profile: cannot be written: File too large' || { echo "$output"; code=1; }
echo "$output" | grep -qx "$(cat plain)" || { echo "$output"; code=1; }

# Two processes tune at once.
"$proact" tune --profile both.profile ./tune 24 >/dev/null 2>&1 &
PROACT_DEVICES=3 "$proact" tune --profile both.profile ./tune 24 >/dev/null 2>&1
wait
"$proact" tune check both.profile | grep -q 'entries: 4,' || { code=1; cat both.profile; }
"$proact" tune explain --profile both.profile | grep -q 'candidate .*predicted .*measured' || code=1
exit $code
