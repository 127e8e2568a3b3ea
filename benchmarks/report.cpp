// SPDX-License-Identifier: MIT
// The table at the end: a line per workload and size; for each storage the figure, its ratio to raw
// and whether the goal is met.
#include "report.h"

#include "catalog.h"

#include <algorithm>
#include <cstdio>

bool TableReporter::ReportContext(const Context &context) {
    PrintBasicContext(&GetErrorStream(), context);
    return true;
}

void TableReporter::ReportRuns(const std::vector<Run> &runs) {
    for (const Run &run : runs) {
        const std::string &name = run.run_name.function_name;
        if (run.error_occurred) {
            const std::string line = name + ": " + run.error_message;
            if (std::find(errors.begin(), errors.end(), line) == errors.end())
                errors.push_back(line);
            continue;
        }
        const auto bytes = run.counters.find("bytes_per_item");
        const auto rate = run.counters.find("items_per_second");
        if (bytes == run.counters.end() && rate == run.counters.end()) continue;
        const bool is_bytes = bytes != run.counters.end();
        const double value = is_bytes ? bytes->second.value : 1e9 / rate->second.value;
        in_bytes[name] = is_bytes;
        if (run.run_type == Run::RT_Iteration) measured[name].push_back(value);
        else if (run.aggregate_name == "median") figures[name] = value;
    }
}

// The median, or the fastest one.
static double figure_of(const std::string &name, std::vector<double> values) {
    std::sort(values.begin(), values.end());
    if (counts_fastest(name.substr(0, name.find('/')))) return values[0];
    const size_t half = values.size() / 2;
    return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double TableReporter::value_of(const std::string &name) const {
    const auto figure = figures.find(name);
    return figure == figures.end() ? -1 : figure->second;
}

static std::string number(double value, const char *unit = "") {
    char text[48];
    const int digits = value < 10 ? 2 : value < 1000 ? 1 : 0;
    snprintf(text, sizeof text, "%.*f%s", digits, value, unit);
    return text;
}

static std::string text_of(const Goal &goal) {
    static const char *const units[] = { "", "x", " B" };
    const std::string who = *goal.storage ? std::string(goal.storage) + " " : "";
    char limit[32];
    snprintf(limit, sizeof limit, "%g%s", goal.limit, units[static_cast<int>(goal.unit)]);
    return who + "<= " + limit;
}

// '+' the goal for this storage is met, '-' it is not, ' ' there is none.
static char mark_of(const std::vector<Goal> &goals, const std::string &storage, double value,
                    double raw) {
    char mark = ' ';
    for (const Goal &goal : goals) {
        if (*goal.storage && storage != goal.storage) continue;
        if (goal.unit == Unit::times_raw && raw <= 0) continue;
        const double limit = goal.unit == Unit::times_raw ? goal.limit * raw : goal.limit;
        mark = value <= limit ? '+' : '-';
    }
    return mark;
}

void TableReporter::print_row(const std::string &workload, const std::string &raw, uint32_t n) {
    const std::vector<Goal> goals = goals_of(workload, n);
    const double limit = value_of(benchmark_name(raw, "raw", n));
    std::string cells, unit;
    bool is_measured = false;
    for (const Storage &storage : storages()) {
        const bool is_raw = storage.name == "raw";
        const std::string name = benchmark_name(is_raw ? raw : workload, storage.name, n);
        const double value = value_of(name);
        char cell[64];
        if (value < 0) snprintf(cell, sizeof cell, is_raw ? " %9s" : " %9s %8s  ", "-", "");
        else if (is_raw) snprintf(cell, sizeof cell, " %9s", number(value).c_str());
        else
            snprintf(cell, sizeof cell, " %9s %8s %c", number(value).c_str(),
                     limit > 0 ? number(value / limit, "x").c_str() : "",
                     mark_of(goals, storage.name, value, limit));
        cells += cell;
        // Another row's raw version alone is not worth a line.
        if (value >= 0 && (!is_raw || raw == workload)) {
            is_measured = true;
            if (in_bytes.at(name)) unit = " B";
        }
    }
    if (!is_measured) return;
    std::string goal;
    for (const Goal &one : goals)
        goal += (goal.empty() ? "" : "; ") + text_of(one);
    const std::string label = workload + unit;
    const std::string line = cells + (goal.empty() ? "" : "  " + goal);
    printf("%-43s %8u%s\n", label.c_str(), n, line.c_str());
}

void TableReporter::Finalize() {
    for (const auto &one : measured)
        figures[one.first] = figure_of(one.first, one.second);
    printf("\nMedians, and the fastest of rows on two threads (_par); nanoseconds per item (B: "
           "bytes).\nFor each storage: the figure, its ratio to raw, and whether it meets the goal "
           "(+ or -).\n\n");
    printf("%-43s %8s", "workload", "N");
    for (const Storage &storage : storages())
        printf(storage.name == "raw" ? " %9s" : " %9s           ", storage.name.c_str());
    printf("  goal\n");
    for (const Workload &workload : workloads())
        for (const uint32_t n : workload.sizes)
            print_row(workload.name, workload.raw, n);
    for (const std::string &error : errors)
        printf("error: %s\n", error.c_str());
}

void PlainNameJson::ReportRuns(const std::vector<Run> &runs) {
    std::vector<Run> plain = runs;
    for (Run &run : plain) {
        run.run_name.iterations.clear();
        run.run_name.repetitions.clear();
        run.run_name.time_type.clear();
    }
    JSONReporter::ReportRuns(plain);
}
