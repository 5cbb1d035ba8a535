#!/bin/sh
# Usage: options.sh PROACTCC. The compilers that nvcc calls receive the same words from
# proactcc as from nvcc, for options of every form; the linker keeps every word that names
# no runtime library of NVIDIA. Where nvcc refuses a command, proactcc prints its message.
set -u
proactcc=$1
unset NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS
# The nvcc behind proactcc, without the search for it.
nvcc=${PROACT_NVCC:-$(command -v nvcc || sed -n "s/.*nvcc:-'\(.*\)'}.*/\1/p" "$proactcc")}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
mkdir 'a folder' && touch a.cu 'a folder/b c.cu' c.c d.o e.a libcudart.so || exit 1
code=0 count=0

# The words for the compilers (not for fatbinary, which gets the added PTX).
compilers() { # OUTPUT
    sed -nE '/^nvcc (fatal|warning)/p; s/^#\$ ((g?cc|[cg]\+\+|clang(\+\+)?|cudafe\+\+|ptxas|"\$CICC_PATH.*) )/\1/p' "$1" |
        sed -E 's# > /tmp/.*##; s#"/tmp/tmpxft_[^"]*"#T#g; s/tmpxft_[0-9A-Za-z_]+(-[0-9]+)?/T/g; s/ +/ /g' | sort
}
is_same() { # WORD...
    "$nvcc" --dryrun "$@" >theirs 2>&1
    theirs=$?
    "$proactcc" --dryrun "$@" >ours 2>&1
    ours=$?
    compilers theirs >theirs.words
    compilers ours >ours.words
    [ $theirs = $ours ] && [ -s theirs.words ] && cmp -s theirs.words ours.words
}
# nvcc numbers its temporary files; the second attempt has other numbers.
same() { # WORD...
    count=$((count + 1))
    if ! is_same "$@" && ! is_same "$@"; then
        echo "other words for: $*"
        diff theirs.words ours.words | grep '^[<>]' | cut -c1-400
        code=1
    fi
}
linked() { # WORD...: the words that NVIDIA's linker line has reach the linker in that order
    count=$((count + 1))
    for driver in "$nvcc" "$proactcc"; do
        "$driver" "$@" -o x --dryrun 2>&1 | grep -E '^#\$ g\+\+ .*-o "x"' | tr -s ' ' '\n' |
            grep -vE '^#|cudart|cudadevrt|proact|tmp|a_dlink|/targets/|-start-group|-end-group|^-Xlinker$|^-l(rt|pthread|dl|m)"?$|jansson|^-lz' \
                >"$([ "$driver" = "$nvcc" ] && echo theirs || echo ours)"
    done
    [ -s theirs ] && diff theirs ours >lost && return
    grep -q '^<' lost || [ ! -s theirs ] || return
    echo "lost by the linker: $*"
    cat lost
    code=1
}

# Lists, quotes, spaces, and values that look like libraries or architectures.
for value in A=1,2,4 'A="1,2,4"' 'A=1\,2\,4' "A='1,2'" 'A=b c' 'A="b c"' 'A="\"b\""' 'A=b\\c' 'A=$b' 'A=*' \
    'A,B=2' 'A(x)=x' A=-c A=-shared 'A=' A=/x/libcudart.so A=/x/libcuda.so A=/x/libcudart_static.a \
    A=/x/libcudadevrt.a libcudart_static libcuda lto_90 A=lto_90 A=-flto; do
    same -c a.cu "-D$value"
    same -c a.cu -D "$value"
    same -c a.cu "--define-macro=$value"
done
same -c a.cu -D=A --define-macro A=1,2 --define-macro 'B="c d"'
for option in -U --undefine-macro -I --include-path -isystem --system-include -include --pre-include; do
    for value in x,y 'a folder' /x/libcudart.so lto_90; do
        same -c a.cu "$option" "$value"
        same -c a.cu "$option=$value"
    done
done
same -c a.cu -Ia,b '-Ia folder' -UA,B
for option in -Xcompiler --compiler-options; do
    for value in -Wall,-O3 '-DA="b c"' '"-DA=1,2"' "-DA='b c'" '-DA=1\,2' -lcudart /x/libcuda.so -Wl,-rpath,/x; do
        same -c a.cu "$option" "$value"
        same -c a.cu "$option=$value"
    done
done
for option in -Xptxas --ptxas-options; do
    same -c a.cu $option -v,-O2
    same -c a.cu $option=-v,-O2 $option=-warn-spills
done
# Options with a value, in both forms.
while read -r option value; do
    same -c a.cu "$option" "$value"
    same -c a.cu "$option=$value"
done <<'END'
-std c++17
--std c++14
-x cu
--x c++
-O 1
--optimize 2
-maxrregcount 32
--maxrregcount 40
-arch sm_90
--gpu-architecture sm_80
-gencode arch=compute_80,code=sm_80
--generate-code arch=compute_80,code=[sm_80,sm_86]
-rdc true
--relocatable-device-code false
-default-stream per-thread
-ftz true
--fmad false
-prec-div false
-m 64
--threads 2
-t 2
-Werror all-warnings
-diag-suppress 177,20012
--diag-error 177
-e k
-ccbin g++
--compiler-bindir gcc
-odir folder
--output-directory folder
-o x.libcudart.so
--output-file x.o
-keep-dir folder
-cudart none
-cudadevrt none
-run-args -c,-E
-frandom-seed 7
-MF deps
-opt-info inline
-ftemplate-depth 90
-brief-diag true
-L folder,other
-l cudart,m
-Xlinker -z,now
END
for option in -g -G -lineinfo -v -w -O3 -m64 -t2 -use_fast_math --expt-relaxed-constexpr -extended-lambda -MD -MMD \
    -MP -restrict -ewp -dc -dw --device-c -keep -save-temps -res-usage -src-in-ptx -noprof -pg -noeh -err-no \
    -fdevice-syntax-only -objtemp; do
    same -c a.cu $option
done
for task in -E --preprocess -M -MM -ptx --ptx -cubin -fatbin -cuda --cuda -lib '-dlink d.o -o'; do
    # shellcheck disable=SC2086 # words
    same a.cu $task x
    same a.cu $task
done
same -c 'a folder/b c.cu' -o 'a folder/b c.o'
same -c a.cu c.c
same -c -x cu c.c
same -c a.cu -arch=compute_80 -code=sm_80,sm_86
same -c a.cu -arch compute_80 -code sm_80,compute_80
same -c a.cu -gencode arch=compute_80,code='[sm_80,compute_80]' -gencode=arch=compute_90,code=sm_90
same -c a.cu --forward-unknown-to-host-compiler -fopenmp -fvisibility=hidden
# An option that lacks its value, an unknown option, no file, an empty word.
for option in -o -D -I -std -arch -Xptxas -MF -run-args --output-directory; do
    same a.cu $option
done
same -c a.cu --unknown
same -c a.cu ''
same -c

# Options in files and variables.
while read -r text; do
    printf '%s\n' "$text" >'options file'
    cp 'options file' second
    same -c a.cu -optf 'options file'
    same -c a.cu -optf='options file'
    same -c a.cu --options-file 'options file,second'
    same -c a.cu --options-file=second
    echo '-optf second' >third
    same -c a.cu -optf third
    for name in NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS; do
        export "$name=$text"
        same -c a.cu -DFIRST
        unset $name
    done
done <<'END'
-DA=1,2,4
-DA="1,2" -DB="c d" -D "E f"
-DA=/x/libcudart.so -D lto_90 -I /x/libcuda.so
  -DA	-DB   -O3
-D A -U B,C --define-macro=D=1
-Xcompiler -Wall,-O3 -Xptxas=-v
-DA='b' -DB=c\,d
END
while read -r text; do
    printf '%s\n' "$text" >file
    same -c a.cu -optf file
done <<'END'
-DA=\"b\" -DB="x\"y" -DC=\\\"b\\\"
-DA=\\"b c\\" -DB=b\\c -DC=b\nc -DD=x\ y
"-DA=b c" -D "A=b" -DB="\"b\"" -DC='b"c"'
END

# Links: libraries of NVIDIA's runtime go, all other words stay.
linked d.o -lfirst -l second -l=third,fourth --library fifth --library=sixth -lcudart -l cudart_static
linked d.o e.a -Lone -L two -L=three,four --library-path five -lcudart,seventh
linked d.o -Xlinker -rpath,/x -Xlinker=-z,now -Xlinker '"-rpath,/y"' --linker-options -lcudart,-lown
linked d.o -Xcompiler -fopenmp,-pthread /x/libcudart.so /x/libother.so
linked d.o -Xlinker -rpath -Xlinker '/a folder'

echo "$count command lines" >&2
exit $code
