// SPDX-License-Identifier: MIT
// The table at the end, and the JSON file.
#pragma once
#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

// Collects all repetitions and prints one table of their medians (or fastest) when everything has
// run.
class TableReporter : public benchmark::BenchmarkReporter {
  public:
    bool ReportContext(const Context &context) override;
    void ReportRuns(const std::vector<Run> &runs) override;
    void Finalize() override;
    bool failed() const { return !errors.empty(); }

  private:
    // By the benchmark's name: per item, nanoseconds; in memory rows bytes.
    std::map<std::string, std::vector<double>> measured;
    std::map<std::string, double> figures;
    std::map<std::string, bool> in_bytes;
    std::vector<std::string> errors;

    double value_of(const std::string &name) const; // negative: not measured
    void print_row(const std::string &workload, const std::string &raw, uint32_t n);
};

// JSON whose names are workload/storage/N, without what Google Benchmark appends.
class PlainNameJson : public benchmark::JSONReporter {
  public:
    void ReportRuns(const std::vector<Run> &runs) override;
};
