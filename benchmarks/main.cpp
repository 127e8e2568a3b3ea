// SPDX-License-Identifier: MIT
// keel_bench: registers workload/storage/N with Google Benchmark and runs what its options ask for.
#include "catalog.h"
#include "report.h"

#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <unistd.h>

namespace {

struct Row {
    size_t workload;
    uint32_t n;
    uint32_t samples; // timed ones
};

// ---- checksums ----
// What raw computes with the same number of samples is what every version must compute. It runs
// once for this when it is needed before its own benchmark has run.
struct Untimed {
    uint32_t left;
};

bool next_untimed(bench_run *run) {
    Untimed *host = static_cast<Untimed *>(run->host);
    run->ns = 0;
    return host->left-- > 0;
}

size_t index_of(const std::string &workload) {
    size_t at = 0;
    while (workloads()[at].name != workload)
        ++at;
    return at;
}

using Key = std::pair<std::string, std::pair<uint32_t, uint32_t>>; // raw name, N, samples
std::map<Key, long long> expected;

Key key_of(const Row &row) {
    const Workload &workload = workloads()[row.workload];
    return { workload.raw, { row.n, row.samples + workload.warm } };
}

long long expected_sum(const Row &row) {
    const Key key = key_of(row);
    const auto known = expected.find(key);
    if (known != expected.end()) return known->second;
    Untimed host = { key.second.second };
    bench_run run = {};
    run.n = row.n;
    run.next = next_untimed;
    run.host = &host;
    storages()[0].functions[index_of(workloads()[row.workload].raw)](&run);
    expected[key] = run.sum;
    return run.sum;
}

// ---- one repetition ----
struct Timed {
    benchmark::State *state;
    bool warm;    // the next sample is not counted
    bool pending; // the last sample's time is to be counted
};

bool next_timed(bench_run *run) {
    Timed *host = static_cast<Timed *>(run->host);
    if (host->pending) host->state->SetIterationTime(run->ns * 1e-9);
    run->ns = 0;
    host->pending = !host->warm;
    if (!host->warm) return host->state->KeepRunning();
    host->warm = false;
    return true;
}

void show_progress(const std::string &name) {
    static const bool is_terminal = isatty(STDERR_FILENO) != 0;
    if (is_terminal) fprintf(stderr, "\r\033[K%s\r", name.c_str());
}

void run_benchmark(benchmark::State &state, size_t storage, Row row) {
    const Workload &workload = workloads()[row.workload];
    show_progress(benchmark_name(workload.name, storages()[storage].name, row.n));
    Timed host = { &state, workload.warm, false };
    bench_run run = {};
    run.n = row.n;
    run.next = next_timed;
    run.host = &host;
    storages()[storage].functions[row.workload](&run);
    if (storage == 0) expected[key_of(row)] = run.sum;
    const long long sum = expected_sum(row);
    if (run.error[0]) {
        state.SkipWithError(run.error);
    } else if (run.sum != sum) {
        const std::string message =
            "checksum " + std::to_string(run.sum) + ", but raw has " + std::to_string(sum);
        state.SkipWithError(message.c_str());
    }
    state.counters["items_per_second"] =
        benchmark::Counter(run.items * row.samples, benchmark::Counter::kIsRate);
    if (workload.raw != workload.name) state.SetLabel("raw: " + workload.raw);
    if (run.bytes > 0) state.counters["bytes_per_item"] = run.bytes / run.items;
    show_progress("");
}

void register_all() {
    for (size_t w = 0; w < workloads().size(); ++w) {
        const Workload &workload = workloads()[w];
        for (size_t k = 0; k < workload.sizes.size(); ++k) {
            const Row row = { w, workload.sizes[k], workload.samples[k] };
            for (size_t s = 0; s < storages().size(); ++s) {
                const Storage &storage = storages()[s];
                if (!storage.functions[w]) continue;
                if (s == 0 && workload.raw != workload.name) continue; // shares another row's
                const std::string name = benchmark_name(workload.name, storage.name, row.n);
                benchmark::RegisterBenchmark(name.c_str(), run_benchmark, s, row)
                    ->UseManualTime()
                    ->Unit(benchmark::kNanosecond)
                    ->Iterations(row.samples);
            }
        }
    }
}

// The value of an option, before Google Benchmark takes it away; "" when it is not there.
std::string option(int argc, char **argv, const char *name) {
    const size_t length = strlen(name);
    for (int i = 1; i < argc; ++i)
        if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=')
            return argv[i] + length + 1;
    return "";
}

// Google Benchmark appends "/iterations:3/manual_time" to names; a filter for names that end with N
// should match all the same.
void let_names_end_with_n() {
    std::string filter;
    for (const char c : benchmark::GetBenchmarkFilter())
        filter += c == '$' ? "/iterations:.*$" : std::string(1, c);
    benchmark::SetBenchmarkFilter(filter);
}

} // namespace

int main(int argc, char **argv) {
    bench_pin_malloc();
    const std::string file_format = option(argc, argv, "--benchmark_out_format");
    const std::string format = option(argc, argv, "--benchmark_format");
    const bool to_file = !option(argc, argv, "--benchmark_out").empty();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    let_names_end_with_n();
    register_all();

    TableReporter table;
    PlainNameJson json;
    std::unique_ptr<benchmark::BenchmarkReporter> other; // what --benchmark_format asks for
    if (!format.empty() && format != "console")
        other.reset(benchmark::CreateDefaultDisplayReporter());
    benchmark::BenchmarkReporter *display = &table;
    if (other) display = other.get();
    const bool plain = to_file && (file_format.empty() || file_format == "json");
    const size_t count = benchmark::RunSpecifiedBenchmarks(display, plain ? &json : nullptr);
    benchmark::Shutdown();
    return count == 0 || table.failed() ? 1 : 0;
}
