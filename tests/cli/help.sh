# The first commands of a new user.
. "$(dirname "$0")/cli_lib.sh"
fails 0 proact help
fails 0 proact run --help
fails 0 proact help methods
fails 0 proact --version
fails 0 proact -V
proact help run >help_run
proact run -h | cmp - help_run
# The help of an application, wherever --help stands.
fails 0 proact run jacobi --help
proact run jacobi --help >help_jacobi
proact run --help jacobi | cmp - help_jacobi
proact run sssp --help | grep -- '  --tolerance'
fails 2 proact run frobnicate --help
