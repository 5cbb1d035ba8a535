# Sourced by the tests: `fails STATUS COMMAND...` prints the command and expects that
# status.
fails() {
    expected=$1
    shift
    echo "\$ $*"
    "$@"
    status=$?
    [ $status = "$expected" ] || echo "exit status $status, expected $expected"
}
