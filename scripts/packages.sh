# Sourced by demo and test: installs missing Debian packages and prints their names.
# Usage: need_packages PACKAGE...

need_packages() {
    missing=
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
            missing="$missing $package"
    done
    [ -z "$missing" ] && return 0
    if ! command -v apt-get >/dev/null; then
        echo "proact: this script installs with apt-get (Debian, Ubuntu); elsewhere install the equivalents of:$missing" >&2
        exit 1
    fi
    sudo=
    if [ "$(id -u)" != 0 ]; then
        if ! command -v sudo >/dev/null; then
            echo "proact: these packages are missing and need root to install:$missing" >&2
            exit 1
        fi
        sudo=sudo
    fi
    echo "proact: installing with apt-get:$missing"
    log=$(mktemp)
    $sudo apt-get update -qq </dev/null >/dev/null || exit 1
    # shellcheck disable=SC2086 # the list is split into words
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        $missing </dev/null >"$log" 2>&1 || {
        tail -5 "$log" >&2
        echo "proact: apt-get could not install:$missing" >&2
        exit 1
    }
}

build_packages="gcc libc6-dev cmake ninja-build pkg-config clang-14 mold zlib1g-dev libjansson-dev libpopt-dev libhwloc-dev libhwloc15 scdoc"
test_packages="make libcmocka-dev clang-format-14 clang-tidy-14 libclang-rt-14-dev"
