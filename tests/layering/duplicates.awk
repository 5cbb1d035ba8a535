# Static functions of equal name in several files. New and renamed functions have unique names;
# duplicate_names.txt lists the older ones, `NAME FILES`, and only shrinks.
# Usage: awk -f duplicates.awk duplicate_names.txt FILE...
FILENAME ~ /duplicate_names\.txt$/ { if ($1 != "#") allowed[$1] = $2; next }
/^static / {
    line = $0
    while (line !~ /[({;=]/ && (getline more) > 0) line = line " " more
    if (!match(line, /[A-Za-z_][A-Za-z0-9_]*\(/)) next
    name = substr(line, RSTART, RLENGTH - 1)
    if (name == "__attribute__" || (name, FILENAME) in seen) next
    seen[name, FILENAME] = 1
    count[name]++
    where[name] = where[name] " " FILENAME
}
END {
    for (name in count)
        if (print_list) {
            if (count[name] > 1) print name, count[name]
        } else if (count[name] > (name in allowed ? allowed[name] : 1))
            print "static " name "(): " count[name] " files, " \
                (name in allowed ? allowed[name] : 1) " allowed:" where[name]
    if (!print_list)
        for (name in allowed)
            if (count[name] + 0 < allowed[name])
                print "duplicate_names.txt: " name " " allowed[name] ", but " count[name] + 0 \
                    " files have it: update the list"
}
