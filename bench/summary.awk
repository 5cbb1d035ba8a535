# Tables that combine several files of bench/results: the summary of docs/performance.md
# and the targets of bench/aims.txt. tables.awk calls summary_table().

# Microbenchmark: the best figure at a compute / copy. `whose` selects all methods of
# proact ("ours"), the other libraries ("peers") or one method. The result is 0 if the file
# has no such row; best_method and best_ideal belong to it.
function best_at(file, ratio, whose,    line, m, is_peer) {
    best_figure = best_ideal = 0
    best_method = ""
    while ((getline line < file) > 0) {
        m = value(line, "method")
        is_peer = m ~ /^(NCCL|NVSHMEM|cudaMemcpyPeer)/
        if (m == "" || value(line, "ratio") != ratio) continue
        if (value(line, "measured") + 0 <= best_figure) continue
        if (whose == "ours" ? is_peer : whose == "peers" ? m !~ /^(NCCL|NVSHMEM)/ : m != whose)
            continue
        best_figure = value(line, "measured") + 0
        best_ideal = value(line, "ideal")
        best_method = mechanism(line)
    }
    close(file)
    return best_figure
}

# The lead of proact's best method over the best of NCCL and NVSHMEM, at each ratio.
function lead(file,    ratios, i, count, ours, text) {
    count = split("0.5 1 1.25 2", ratios, " ")
    for (i = 1; i <= count; i++) {
        ours = best_at(file, ratios[i], "ours")
        if (ours && best_at(file, ratios[i], "peers"))
            text = text (text == "" ? "" : ", ") \
                   sprintf("%+.1f %% at %s", 100 * (ours / best_figure - 1), ratios[i])
    }
    gsub(/[-+]0\.0 /, "0.0 ", text)
    return text
}

# The greatest figure of the rows whose name starts with the pattern, with its unit.
function greatest(file, pattern, key,    line, most, unit) {
    most = ""
    while ((getline line < file) > 0)
        if (value(line, "what") ~ "^" pattern && value(line, key) != "" &&
            (most == "" || value(line, key) + 0 > most)) {
            most = value(line, key) + 0
            unit = value(line, "unit")
        }
    close(file)
    if (most == "") return ""
    return key == "adds_percent" ? sprintf("%.1f %%", most) : sprintf("%.4g %s", most, unit)
}

function least(file, pattern, key,    line, low) {
    low = ""
    while ((getline line < file) > 0)
        if (value(line, "what") ~ "^" pattern && value(line, key) != "" &&
            (low == "" || value(line, key) + 0 < low))
            low = value(line, key) + 0
    close(file)
    return low
}

function half(figure,    word) {
    return split(figure, word, " ") ? sprintf("%.3g %s", word[1] / 2, word[2]) : ""
}

# The result for one target of bench/aims.txt; empty if the file lacks it.
function reached(file, how, pattern,    word) {
    if (how == "most") return greatest(file, pattern, "measured")
    if (how == "half") return half(greatest(file, pattern, "measured"))
    if (how == "adds") return greatest(file, pattern, "adds_percent")
    if (how == "lead") return lead(file)
    split(pattern, word, " ")
    if (!best_at(file, word[1], word[2] == "" ? "ours" : word[2])) return ""
    if (how == "excess")
        return sprintf("%.1f %% (%s)", 100 * (best_ideal / best_figure - 1), best_method)
    return sprintf("%.3f", best_figure) (word[2] == "" ? " (" best_method ")" : "")
}

# Times and costs must not exceed the target, a lead must not be negative, and any other
# figure must reach the target.
function misses(text, target, how) {
    if (target == "") return 0
    if (how == "lead") return index(text, "-") > 0
    return target ~ /(us|%)$/ ? text + 0 > target + 0 : text + 0 < target + 0
}

function targets_table(    line, field, machines, count, i, text, all) {
    count = split("4xH200 4xH100 2xH200 2xH100 1xH200 1xH100", machines, " ")
    head("| quantity | target | result; *target missed* | remark |")
    while ((getline line < "bench/aims.txt") > 0) {
        if (line ~ /^#/) continue
        split(line, field, / *\| */)
        all = ""
        for (i = 1; i <= count; i++) {
            text = reached(result_file(field[3] "-" machines[i]), field[4], field[5])
            if (text == "") continue
            if (misses(text, field[2], field[4])) text = "*" text "*"
            all = all (all == "" ? "" : "; ") machines[i] ": " text
        }
        gsub(/xH/, " x H", all)
        printf "| %s | %s | %s | %s |\n", field[1], field[2], all, field[6]
    }
    close("bench/aims.txt")
}

# Speedup over bulk at compute / copy 1, by mechanism, on four H200s.
function summary_micro(    files, methods, i, j, n, count, figure) {
    n = split("micro micro-all micro-row micro-row-all", files, " ")
    count = split("inline fused polling copy-engine relay cudaMemcpyPeerAsync NCCL NVSHMEM",
                  methods, " ")
    head("| mechanism | one to all | all to all | one to all, back to back | all to all, back to back |")
    for (i = 1; i <= count; i++) {
        printf "| %s |", methods[i]
        for (j = 1; j <= n; j++) {
            figure = best_at(result_file(files[j] "-4xH200"), 1, methods[i])
            printf " %s|", figure ? sprintf("%.3f ", figure) : ""
        }
        printf "\n"
    }
    printf "| *ideal* |"
    for (j = 1; j <= n; j++) {
        best_at(result_file(files[j] "-4xH200"), 1, "inline")
        printf " %.2f |", best_ideal
    }
    printf "\n"
}

# Cases of one bench, a column for each machine. `patterns` are separated by "|".
function by_machine(bench, patterns, names, machines,    pattern, name, machine, i, j, n, m) {
    n = split(patterns, pattern, "|")
    split(names, name, "|")
    m = split(machines, machine, " ")
    printf "| case |"
    for (j = 1; j <= m; j++) printf " %s |", spaced(machine[j])
    printf "\n"
    rule(m + 1)
    for (i = 1; i <= n; i++) {
        printf "| %s |", name[i]
        for (j = 1; j <= m; j++)
            printf " %s |", greatest(result_file(bench "-" machine[j]), pattern[i], "measured")
        printf "\n"
    }
}

function spaced(machine) {
    sub(/x/, " x ", machine)
    return machine
}

# Time added by tracking to compiled kernels: least to greatest over the CTA sizes.
function summary_tracking(    methods, works, machines, i, j, k, file, pattern) {
    split("inline fused copy-engine", methods, " ")
    split("1024 4096", works, " ")
    split("1xH200 1xH100", machines, " ")
    head("| mechanism | CTAs of 12 us, H200 | CTAs of 46 us, H200 | CTAs of 12 us, H100 | CTAs of 46 us, H100 |")
    for (i = 1; i <= 3; i++) {
        printf "| %s |", methods[i]
        for (k = 1; k <= 2; k++)
            for (j = 1; j <= 2; j++) {
                file = result_file("tracking-" machines[k])
                pattern = "work " works[j] ", .* compiled, " methods[i]
                printf " %.1f to %s |", least(file, pattern, "adds_percent"),
                       greatest(file, pattern, "adds_percent")
            }
        printf "\n"
    }
}

# Median of a kernel by a build; nothing if the file lacks it.
function median_of(file, kernel, build, devices,    line, figure) {
    while ((getline line < file) > 0)
        if (value(line, "kernel") == kernel && value(line, "build") == build &&
            value(line, "devices") == devices)
            figure = value(line, "median")
    close(file)
    return figure
}

# Kernels built by nvcc and by proactcc, and split by hand, on four H100s.
function summary_programs(    kernels, i, n, file, one, four, manual, graph) {
    file = result_file("compiled-4xH100")
    n = split("scale_add heat multiply attract histogram_shared histogram_global", kernels, " ")
    head("| kernel | nvcc, 1 GPU | proactcc, 4 GPUs | speedup | hand-written, 4 GPUs |")
    for (i = 1; i <= n; i++) {
        one = median_of(file, kernels[i], "nvcc", 1)
        four = median_of(file, kernels[i], "proactcc", 4)
        manual = median_of(file, kernels[i], "hand_written", 4)
        graph = median_of(file, kernels[i], "hand_written_graph", 4)
        if (graph != "" && graph + 0 < manual + 0) manual = graph
        printf "| %s | %s us | %s us | %.2f | %s|\n", kernels[i], digits(one + 0),
               digits(four + 0), one / four,
               manual == "" ? "" : digits(manual + 0) " us "
    }
}

# Whole programs, the longest run of each: nvcc on one GPU, proactcc on two H200s.
function summary_whole(    file, line, name, program, names, last, n, i, one, two) {
    file = result_file("whole-2xH200")
    while ((getline line < file) > 0) {
        if (value(line, "build") != "nvcc") continue
        program = name = value(line, "kernel")
        sub(/,.*/, "", program)
        if (!(program in last)) names[++n] = program
        last[program] = name
    }
    close(file)
    head("| program | nvcc, 1 GPU | proactcc, 2 GPUs | speedup |")
    for (i = 1; i <= n; i++) {
        name = last[names[i]]
        one = median_of(file, name, "nvcc", 1)
        two = median_of(file, name, "proactcc", 2)
        printf "| %s | %.0f ms | %.0f ms | %.2f |\n", name, one, two, one / two
    }
}

function summary_table(name) {
    if (name == "targets") targets_table()
    else if (name == "summary-micro") summary_micro()
    else if (name == "summary-tracking") summary_tracking()
    else if (name == "summary-programs") summary_programs()
    else if (name == "summary-whole") summary_whole()
    else if (name == "summary-link")
        by_machine("link",
                   "copy engine to one peer, 256 MB|bulk to one peer|inline to one peer$|fused to one peer|polling to one peer, best|copy-engine to one peer|bulk all to all|inline all to all$",
                   "copy engine, 256 MB, one peer|bulk, one peer|inline, one peer|fused, one peer|polling, one peer|copy-engine, one peer|bulk, all to all|inline, all to all",
                   "4xH200 4xH100 2xH200 2xH100")
    else if (name == "summary-step")
        by_machine("step",
                   "empty step, bulk, replayed|empty step, inline, replayed|empty step, fused, replayed|empty step, polling, replayed|empty step, copy-engine, replayed|empty step, inline, launched",
                   "bulk|inline|fused|polling|copy-engine|inline, not replayed",
                   "4xH200 4xH100 2xH200 2xH100")
    else fail("no table is named " name)
}
