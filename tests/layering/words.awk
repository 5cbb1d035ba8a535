# Retired words in file names, identifiers, messages and prose.
# Usage: awk -f words.awk retired_words.txt FILE...   prints one line a finding.
BEGIN { quote = sprintf("%c", 39) }

FNR == 1 {
    list = FILENAME ~ /retired_words\.txt$/
    code = FILENAME ~ /\.(c|h|cu|cuh|def)$/
    page = FILENAME ~ /\.(md|scd)$/
    in_comment = fenced = 0
    if (!list) {
        name = FILENAME
        sub(/.*\//, "", name)
        sub(/\..*/, "", name)
        check_name(name, "the file name")
    }
}

list && /^(name|message|prose) / { retired[$1] = retired[$1] (retired[$1] ? "|" : "") $2 }
list { next }

function report(what, word) { print FILENAME ":" FNR ": " what " has the retired word '" word "'" }

function check_name(name, what,    part, n, i) {
    n = split(tolower(name), part, /[_-]/)
    for (i = 1; i <= n; i++)
        if (part[i] ~ "^(" retired["name"] ")$") report(what " '" name "'", part[i])
}

function check_text(text, kind, what,    word, n, i) {
    n = split(tolower(text), word, /[^a-z]+/)
    for (i = 1; i <= n; i++)
        if (word[i] ~ "^(" retired[kind] ")$") report(what, word[i])
}

# A comment is prose, except the names in it.
function comment(text) {
    gsub(/`[^`]*`|[A-Za-z0-9]+_[A-Za-z0-9_]*|[A-Za-z_\/]+\.(h|c|cu)|Usage:.*/, "", text)
    check_text(text, "prose", "a comment")
}

code {
    rest = $0
    while (rest != "") {
        if (in_comment) {
            if ((at = index(rest, "*/"))) {
                comment(substr(rest, 1, at))
                rest = substr(rest, at + 2)
                in_comment = 0
                continue
            }
            comment(rest)
            break
        }
        if (!match(rest, "/\\*|//|\"|" quote "|[A-Za-z_][A-Za-z_0-9]*")) break
        token = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        if (token == "/*") in_comment = 1
        else if (token == "//") { comment(rest); break }
        else if (token == "\"") {
            if (!match(rest, /^([^"\\]|\\.)*"/)) break
            text = substr(rest, 1, RLENGTH - 1)
            rest = substr(rest, RLENGTH + 1)
            gsub(/\\[nt"]/, " ", text)
            if (FILENAME ~ /^(src|tools|apps|bench)\// && $0 !~ /^ *#/)
                check_text(text, "message", "a message")
        } else if (token == quote) {
            if (match(rest, "^([^" quote "\\\\]|\\\\.)*" quote)) rest = substr(rest, RLENGTH + 1)
        } else if (!(token in known)) {
            known[token] = 1
            check_name(token, "the name")
        }
    }
}

page && /^(```|~~~)/ { fenced = !fenced; next }
page && !fenced && !/^(    |\t[*_]?proact)/ {
    gsub(/`[^`]*`/, "", $0)
    gsub(/\]\([^)]*\)/, "", $0)
    check_text($0, "prose", "the text")
}
