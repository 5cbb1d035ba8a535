#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Trampolines for NVIDIA libraries with a CUDA runtime of their own.
# Usage: library_calls.sh NVCC FOLDER WORD...
#   WORD...  the command line of a link
# For each such library on the command line, FOLDER receives a trampoline for every function
# that the library exports. The output is the words to add to the command line, one a line.
# The linker then redirects each call F of the program to the trampoline __wrap_F. It jumps
# to proact_library_call (rt/library/rt_trampoline.c) with a struct library_call.
set -u
nvcc=$1 out=$2
shift 2

refuse() {
    echo "proactcc: $1" >&2
    exit 1
}

is_theirs() { # NAME, as in -lNAME
    case $1 in
    cublas | cublasLt | cufft | cufftw | curand | cusolver | cusolverMg | cusparse | \
        cusparseLt | cudnn | cudnn_* | cutensor | cutensorMg | cudss | nccl | npp[a-z]* | \
        nvjpeg | nvjpeg2k) return 0 ;;
    esac
    return 1
}

# The libraries by name or path, and the linker's search folders.
libraries= folders= previous=
for word; do
    case $previous in
    -l | --library) word=-l$word ;;
    -L | --library-path) word=-L$word ;;
    esac
    previous=$word
    case $word in
    -l | --library | -L | --library-path) continue ;;
    -l=* | --library=*) word=-l${word#*=} ;;
    -L=* | --library-path=*) word=-L${word#*=} ;;
    esac
    case $word in
    -L*) folders="$folders $(echo "${word#-L}" | tr ',' ' ')" ;;
    -l*)
        for name in $(echo "$word" | tr ',' ' '); do
            libraries="$libraries ${name#-l}"
        done
        ;;
    *.so | *.so.* | *.a) libraries="$libraries $word" ;;
    esac
done

wanted=
for library in $libraries; do
    name=${library##*/}
    case $name in
    :*) name=${name#:} ;;
    esac
    case $name in
    lib*.so | lib*.so.* | lib*.a) name=${name#lib} ;;
    esac
    name=${name%%.so*}
    name=${name%.a}
    plain=$(echo "$name" | sed 's/_static.*//')
    if [ "$plain" != "$name" ] && is_theirs "$plain"; then
        refuse "$library: a static library uses the CUDA runtime of the program, without functions that NVIDIA's libraries need; link the shared one, -l$plain"
    fi
    is_theirs "$name" && wanted="$wanted $name=$library"
done
[ -n "$wanted" ] || exit 0
[ "$(uname -m)" = x86_64 ] ||
    refuse "calls of NVIDIA's libraries ($(echo "$wanted" | sed 's/ \([^=]*\)=[^ ]*/ -l\1/g')) are supported on x86-64 only"

# NAME=LIBRARY: the file. nvcc's own folders follow those of the command line.
folders="$folders $("$nvcc" --dryrun -o x x.o 2>&1 | sed -n 's/^#\$ LIBRARIES=//p' |
    tr -d '"' | sed 's/-L//g') $(echo "${LIBRARY_PATH-}" | tr ':' ' ')"
find_file() {
    case $2 in
    */*) echo "$2" && return ;;
    esac
    for folder in $folders; do
        for file in "$folder/lib$1.so" "$folder/${2#:}"; do
            [ -f "$file" ] && echo "$file" && return
        done
    done
    file=$(${CXX:-g++} -print-file-name="lib$1.so")
    [ -f "$file" ] && echo "$file"
}

# One trampoline and one struct for each C function that the library itself defines.
trampolines() {
    nm -D --defined-only "$1" | sed -n 's/^[0-9a-f]* [TWi] \([a-z][A-Za-z0-9_]*\)\(@.*\)*$/\1/p' |
        sort -u | tee -a "$out/names" | awk '{
        printf ".text\n.hidden __wrap_%s\n.globl __wrap_%s\n.type __wrap_%s, @function\n", $1, $1, $1
        printf "__wrap_%s:\n  endbr64\n  leaq .Lcall%d(%%rip), %%r11\n", $1, NR
        printf "  jmp *proact_library_call@GOTPCREL(%%rip)\n"
        printf ".section .data.rel,\"aw\"\n.balign 8\n"
        printf ".Lcall%d: .quad .Lname%d, __real_%s, 0\n", NR, NR, $1
        printf ".section .rodata.str1.1,\"aMS\",@progbits,1\n.Lname%d: .string \"%s\"\n", NR, $1
    } END { print ".section .note.GNU-stack,\"\",@progbits" }'
}

again= archive=$out/library_calls.a
: >"$out/names"
for pair in $wanted; do
    name=${pair%%=*} library=${pair#*=}
    file=$(find_file "$name" "$library")
    [ -n "$file" ] || continue # the linker reports it
    [ -e "$out/$name.o" ] && continue
    trampolines "$file" >"$out/$name.s" || exit 1
    as -o "$out/$name.o" "$out/$name.s" || exit 1
    ar rc "$archive" "$out/$name.o" || exit 1
    case $library in
    */*) again="$again $library" ;;
    *) again="$again -l$library" ;;
    esac
done
[ -s "$out/names" ] || exit 0
# Start-up code that registers this object as linked by proactcc (rt_untracked.c).
cat >"$out/linked.s" <<'END' && as -o "$out/linked.o" "$out/linked.s" || exit 1
.text
.Llinked:
  endbr64
  leaq .Llinked(%rip), %rdi
  jmp *proact_library_linked@GOTPCREL(%rip)
.section .init_array,"aw"
.balign 8
.quad .Llinked
.section .note.GNU-stack,"",@progbits
END
# A response file: the host compiler replaces its name by its words.
sort -u "$out/names" | sed '1!s/^/-Xlinker --wrap=/; 1s/^/--wrap=/' >"$out/wraps"
printf '%s\n' -Xlinker "@$out/wraps" "$out/linked.o" "$archive"
printf '%s\n' $again # after the trampolines, for linkers that resolve in order
