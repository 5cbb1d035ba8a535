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

# Two processes tune at once.
"$proact" tune --profile both.profile ./tune 24 >/dev/null 2>&1 &
PROACT_DEVICES=3 "$proact" tune --profile both.profile ./tune 24 >/dev/null 2>&1
wait
"$proact" tune check both.profile | grep -q 'entries: 4,' || { code=1; cat both.profile; }
"$proact" tune explain --profile both.profile | grep -q 'candidate .*predicted .*measured' || code=1
exit $code
