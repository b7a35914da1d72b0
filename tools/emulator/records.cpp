// SPDX-License-Identifier: BSD-3-Clause
#include "records.hpp"

#include <algorithm>
#include <numeric>

#include "calibration.hpp"

namespace emulator {

namespace {

constexpr std::size_t records_at_once = 256; // bounds the memory of rank 0 and the counts of MPI_Gather

std::vector<double> flattened(std::span<const IterationRecord> records) {
    std::vector<double> values;
    for (const IterationRecord &record : records) {
        values.push_back(record.seconds);
        values.insert(values.end(), record.stage_seconds.begin(), record.stage_seconds.end());
    }
    return values;
}

// The values of all ranks, rank after rank, seen as one column for each time.
class Table {
public:
    Table(std::vector<double> values, std::size_t ranks)
        : values_(std::move(values)), width_(ranks == 0 ? 0 : values_.size() / ranks) {}

    double captured(std::size_t column, std::size_t ranks, Capture how) const {
        std::vector<double> times;
        for (std::size_t rank = 0; rank < ranks; ++rank) times.push_back(values_[rank * width_ + column]);
        return capture(how, times);
    }

private:
    std::vector<double> values_;
    std::size_t width_;
};

void capture_record(IterationRecord &record, const Table &table, std::size_t &column, const Run &run,
                    std::size_t ranks) {
    const auto &stages = run.phases[static_cast<std::size_t>(record.phase)].stages;
    record.seconds = table.captured(column++, ranks, run.capture);
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const auto wanted = static_cast<std::size_t>(stages[i].ranks);
        const std::size_t taking_part = wanted == 0 ? ranks : std::min(wanted, ranks);
        record.stage_seconds[i] = table.captured(column++, taking_part, run.capture);
    }
}

std::vector<IterationRecord> gather_some(std::span<const IterationRecord> records, const Run &run, const Team &all) {
    const std::vector<double> own = flattened(records);
    const auto ranks = static_cast<std::size_t>(all.size);
    std::vector<double> of_all(all.rank == 0 ? own.size() * ranks : 0);
    const int count = static_cast<int>(own.size());
    MPI_Gather(own.data(), count, MPI_DOUBLE, of_all.data(), count, MPI_DOUBLE, 0, all.comm);
    if (all.rank != 0) return {};
    const Table table(std::move(of_all), ranks);
    std::vector<IterationRecord> captured(records.begin(), records.end());
    std::size_t column = 0;
    for (IterationRecord &record : captured) capture_record(record, table, column, run, ranks);
    return captured;
}

bool is_same(const StageTotals &totals, const IterationRecord &record) {
    return totals.group == record.group && totals.phase == record.phase;
}

// Of this rank alone.
std::vector<StageTotals> own_totals(std::span<const IterationRecord> records) {
    std::vector<StageTotals> all;
    for (const IterationRecord &record : records) {
        if (record.background) continue;
        if (all.empty() || !is_same(all.back(), record))
            all.push_back({record.group, record.phase, 0, {record.stage_seconds.size(), {0.0}}});
        StageTotals &totals = all.back();
        ++totals.iterations;
        for (std::size_t i = 0; i < totals.seconds.size(); ++i) totals.seconds[i].front() += record.stage_seconds[i];
    }
    return all;
}

} // namespace

double capture(Capture how, std::span<const double> values) {
    if (values.empty()) return 0;
    switch (how) {
    case Capture::max:
        return *std::ranges::max_element(values);
    case Capture::mean:
        return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    case Capture::median:
        return median_of(values);
    }
    return 0;
}

std::vector<IterationRecord> gather_records(std::span<const IterationRecord> records, const Run &run, const Team &all) {
    std::vector<IterationRecord> gathered;
    for (std::size_t first = 0; first < records.size(); first += records_at_once) {
        const std::size_t count = std::min(records_at_once, records.size() - first);
        const auto some = gather_some(records.subspan(first, count), run, all);
        gathered.insert(gathered.end(), some.begin(), some.end());
    }
    return gathered;
}

std::vector<StageTotals> gather_totals(std::span<const IterationRecord> records, const Team &all) {
    std::vector<StageTotals> totals = own_totals(records);
    for (StageTotals &each : totals)
        for (std::vector<double> &seconds : each.seconds) {
            const double own = seconds.front();
            if (all.rank == 0) seconds.resize(static_cast<std::size_t>(all.size));
            MPI_Gather(&own, 1, MPI_DOUBLE, seconds.data(), 1, MPI_DOUBLE, 0, all.comm);
        }
    return all.rank == 0 ? totals : std::vector<StageTotals>{};
}

} // namespace emulator
