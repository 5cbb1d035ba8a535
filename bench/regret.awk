# Regret by class, of the rows of bench/regret.sh: functions for that script and for the
# tables of the documentation. Columns: auto, fused, inline, bulk.

function regret_reset() {
    delete regret_seen
    delete regret_count
    regret_classes = 0
}

function regret_read(line,    class, c, columns, r) {
    class = value(line, "class")
    if (class == "") return
    if (!(class in regret_seen)) {
        regret_seen[class] = 1
        regret_class[++regret_classes] = class
    }
    for (c = split("auto fused inline bulk", columns, " "); c >= 1; c--) {
        r = value(line, columns[c]) + 0
        if (r < 0) continue # the machine lacks the method
        regret_value[class, columns[c], ++regret_count[class, columns[c]]] = r
        regret_value["all", columns[c], ++regret_count["all", columns[c]]] = r
    }
}

# The regret that this share of the cases does not exceed.
function regret_share(class, column, share,    n, i, j, v, swap) {
    n = regret_count[class, column]
    for (i = 1; i <= n; i++) v[i] = regret_value[class, column, i]
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && v[j] < v[j - 1]; j--) { swap = v[j]; v[j] = v[j - 1]; v[j - 1] = swap }
    i = int(share * n + 0.999)
    return n ? v[i < 1 ? 1 : i] : 0
}

function regret_cell(class, column) {
    return sprintf(" %.1f / %.1f / %.1f |", 100 * regret_share(class, column, 0.5),
                   100 * regret_share(class, column, 0.9), 100 * regret_share(class, column, 1))
}

function regret_row(class) {
    printf "| %s | %d |%s%s%s%s\n", class, regret_count[class, "auto"], regret_cell(class, "auto"),
           regret_cell(class, "fused"), regret_cell(class, "inline"), regret_cell(class, "bulk")
}

# Median / 90th percentile / worst, in percent.
function regret_print(    i) {
    print "| class | cases | auto | always fused | always inline | always bulk |"
    print "|---|---|---|---|---|---|"
    for (i = 1; i <= regret_classes; i++) regret_row(regret_class[i])
    regret_row("all")
}

# The bounds of a plan by estimate.
function regret_exceeds() {
    return regret_share("all", "auto", 0.5) > 0.03 || regret_share("all", "auto", 0.9) > 0.1 ||
           regret_share("all", "auto", 1) > 0.25
}
