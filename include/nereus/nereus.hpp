// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Nereus in C++20: a thin layer over nereus.h whose objects end what they began. Errors are thrown as
/// nereus::Failure; everything else means what nereus.h says.
///
///     nereus::run(MPI_COMM_WORLD, argc, argv, [](nereus::Job &job) {
///         auto x = job.array<double>("x", n, NEREUS_BLOCK, NEREUS_VARIABLE);
///         std::int64_t step = 0;
///         job.value("step", step);
///         if (job.generation() == 0) std::ranges::fill(x, 1.0);
///         while (step < last) {
///             for (double &each : x) ... compute with job.comm() ...
///             ++step;
///             if (job.checkpoint() == nereus::Outcome::leave) return;
///         }
///     });
#ifndef NEREUS_NEREUS_HPP
#define NEREUS_NEREUS_HPP

#include <nereus/io.h>
#include <nereus/matrix.h>
#include <nereus/nereus.h>
#include <nereus/save.h>
#include <nereus/stages.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace nereus {

/// A call that could not be carried out; code() is an error of nereus_code.
class Failure : public std::runtime_error {
public:
    Failure(int code, const std::string &what) : std::runtime_error(what), code_(code) {}
    int code() const noexcept { return code_; }

private:
    int code_;
};

/// What a checkpoint says.
enum class Outcome { go_on, resized, leave };

/// The predefined MPI datatype of an arithmetic type.
template <class T>
    requires std::is_arithmetic_v<T>
MPI_Datatype datatype() {
    if constexpr (std::same_as<T, float>)
        return MPI_FLOAT;
    else if constexpr (std::same_as<T, double>)
        return MPI_DOUBLE;
    else if constexpr (std::same_as<T, long double>)
        return MPI_LONG_DOUBLE;
    else if constexpr (std::same_as<T, bool>)
        return MPI_CXX_BOOL;
    else if constexpr (sizeof(T) == 1)
        return std::is_signed_v<T> ? MPI_INT8_T : MPI_UINT8_T;
    else if constexpr (sizeof(T) == 2)
        return std::is_signed_v<T> ? MPI_INT16_T : MPI_UINT16_T;
    else if constexpr (sizeof(T) == 4)
        return std::is_signed_v<T> ? MPI_INT32_T : MPI_UINT32_T;
    else
        return std::is_signed_v<T> ? MPI_INT64_T : MPI_UINT64_T;
}

/// This process' part of a global array: a view that follows resizes. Copies are views of the same array.
/// Ends with its job; iterators and spans end with each checkpoint that says Outcome::resized or leave.
template <class T> class Array {
public:
    std::span<T> span() const { return {static_cast<T *>(*place_), static_cast<std::size_t>(count())}; }
    T &operator[](std::int64_t i) const { return static_cast<T *>(*place_)[i]; }
    T *begin() const { return span().data(); }
    T *end() const { return begin() + count(); }
    std::int64_t count() const { return std::max<std::int64_t>(0, nereus_count(job_, name_->c_str())); }
    std::int64_t first() const { return nereus_first(job_, name_->c_str()); } ///< global number of element 0

    /// Newcomers would have the two the other way round: Job::swap().
    friend void swap(Array &, Array &) = delete;

private:
    friend class Job;
    Array(const nereus_job *job, void *const *place, const std::string *name) : job_(job), place_(place), name_(name) {}

    const nereus_job *job_;
    void *const *place_; ///< where the library keeps the present address
    const std::string *name_;
};

/// A malleable job as one of its processes sees it.
class Job {
public:
    /// As nereus_open(). For a newcomer whose resize was rolled back the job is there, but leaving().
    Job(MPI_Comm comm, int argc, char **argv) : exceptions_(std::uncaught_exceptions()) {
        const int code = nereus_open(comm, argc, argv, &job_);
        if (code < 0) throw Failure(code, std::string("nereus_open: ") + nereus_code_name(code));
        leaving_ = code == NEREUS_LEAVE;
    }
    Job(Job &&other) noexcept
        : job_(std::exchange(other.job_, nullptr)), leaving_(other.leaving_), exceptions_(other.exceptions_),
          arrays_(std::move(other.arrays_)), matrices_(std::move(other.matrices_)) {}
    Job &operator=(Job &&) = delete;

    /// Closes the job, but not when an exception is on its way: closing is collective, and others may not come.
    ~Job() {
        if (std::uncaught_exceptions() == exceptions_) close();
    }

    /// As nereus_close(). @return whether this process is wanted again, then open a new job
    bool close() { return job_ != nullptr && nereus_close(&job_) == NEREUS_WOKEN; }

    /// As nereus_array(); `type` must be given for types that are not arithmetic.
    template <class T>
        requires std::is_trivially_copyable_v<T>
    Array<T> array(const std::string &name, std::int64_t elements, nereus_layout layout, nereus_kind kind,
                   MPI_Datatype type = datatype<T>()) {
        auto &entry = arrays_.emplace_back(std::make_unique<Registered>(Registered{name, nullptr}));
        check(nereus_array(job_, name.c_str(), type, elements, layout, kind, &entry->place));
        return Array<T>(job_, &entry->place, &entry->name);
    }

    /// As nereus_matrix_csr() with values of type T. @return the rows of this process, which follow resizes; ends with
    /// the job
    template <class T>
        requires std::is_arithmetic_v<T>
    const nereus_matrix &matrix(const std::string &name, std::int64_t rows, std::int64_t nonzeros, nereus_kind kind,
                                const nereus_distribution *distribution = nullptr) {
        auto &rows_here = *matrices_.emplace_back(std::make_unique<nereus_matrix>());
        check(nereus_matrix_csr(job_, name.c_str(), datatype<T>(), rows, nonzeros, distribution, kind, &rows_here));
        return rows_here;
    }

    /// As nereus_value(); `value` must live as long as the job is open. What is not arithmetic travels as its bytes.
    template <class T>
        requires std::is_trivially_copyable_v<T>
    void value(const std::string &name, T &value) {
        if constexpr (std::is_arithmetic_v<T>)
            check(nereus_value(job_, name.c_str(), datatype<T>(), 1, &value));
        else
            check(nereus_value(job_, name.c_str(), MPI_BYTE, sizeof value, &value));
    }

    /// As nereus_swap(). Views are to arrays, not to what they hold: swapping two of them swaps nothing.
    template <class T> void swap(const Array<T> &one, const Array<T> &other) {
        check(nereus_swap(job_, one.name_->c_str(), other.name_->c_str()));
    }

    /// As nereus_change_distribution(). Iterators and spans of the array end. @return NEREUS_OK or NEREUS_UNCHANGED
    template <class T> nereus_code change_distribution(const Array<T> &array, const nereus_distribution &distribution) {
        return check(nereus_change_distribution(job_, array.name_->c_str(), &distribution));
    }

    /// As nereus_array_distribution().
    template <class T> nereus_distribution distribution(const Array<T> &array) const {
        nereus_distribution distribution;
        check(nereus_array_distribution(job_, array.name_->c_str(), &distribution));
        return distribution;
    }

    /// As nereus_forget(). What the library owns of it ends, and so do all views of it.
    void forget(const std::string &name) { check(nereus_forget(job_, name.c_str())); }

    /// As nereus_operations().
    void operations(double of_an_iteration) { check(nereus_operations(job_, of_an_iteration)); }

    /// As nereus_resize(). @return NEREUS_OK, NEREUS_PENDING or NEREUS_UNCHANGED
    nereus_code resize(int ranks) { return check(nereus_resize(job_, ranks, nullptr, nullptr)); }
    nereus_code resize(int ranks, const nereus_resize_options &options) {
        return check(nereus_resize(job_, ranks, &options, nullptr));
    }

    /// As nereus_save().
    void save(bool stop = false) { check(nereus_save(job_, stop ? 1 : 0, nullptr)); }

    /// As nereus_protect_now().
    void protect_now() { check(nereus_protect_now(job_, nullptr)); }

    /// As nereus_checkpoint().
    Outcome checkpoint() {
        const nereus_code code = check(nereus_checkpoint(job_));
        leaving_ = code == NEREUS_LEAVE;
        return leaving_ ? Outcome::leave : code == NEREUS_RESIZED ? Outcome::resized : Outcome::go_on;
    }

    bool leaving() const noexcept { return leaving_; }
    MPI_Comm comm() const { return nereus_comm(job_); }
    int rank() const {
        int rank = MPI_PROC_NULL;
        if (comm() != MPI_COMM_NULL) MPI_Comm_rank(comm(), &rank);
        return rank;
    }
    int size() const {
        int size = 0;
        if (comm() != MPI_COMM_NULL) MPI_Comm_size(comm(), &size);
        return size;
    }
    std::int64_t generation() const { return nereus_generation(job_); }
    std::string message() const { return nereus_message(job_); }

    nereus_resize_options options() const {
        nereus_resize_options options;
        check(nereus_resize_options_init(job_, &options));
        return options;
    }
    nereus_resize_report last_resize() const {
        nereus_resize_report report;
        check(nereus_last_resize(job_, &report));
        return report;
    }

    nereus_job *get() const noexcept { return job_; } ///< for what this layer does not have

private:
    struct Registered { // does not move: the library writes to `place`
        std::string name;
        void *place;
    };

    nereus_code check(int code) const {
        if (code >= 0) return static_cast<nereus_code>(code);
        const std::string said = nereus_message(job_);
        throw Failure(code, said.empty() ? nereus_code_name(code) : said);
    }

    nereus_job *job_ = nullptr;
    bool leaving_ = false;
    int exceptions_;
    std::vector<std::unique_ptr<Registered>> arrays_;
    std::vector<std::unique_ptr<nereus_matrix>> matrices_;
};

/// A stage of the iteration, from here to the end of the block, as nereus_stage_begin(). What cannot be measured is no
/// reason to stop an application: a name or bytes that are not allowed, or a stage within a stage, begin nothing.
class Stage {
public:
    Stage(const Job &job, const char *name, nereus_stage_kind kind, std::int64_t bytes = 0)
        : job_(job.get()), begun_(nereus_stage_begin(job_, name, kind, bytes) == NEREUS_OK) {}
    Stage(const Stage &) = delete;
    Stage &operator=(const Stage &) = delete;
    ~Stage() {
        if (begun_) nereus_stage_end(job_);
    }

private:
    nereus_job *job_;
    bool begun_;
};

/// An I/O phase of all processes, from here to the end of the block, as nereus_io_begin(). The daemon is no reason to
/// stop an application: a phase within a phase begins nothing.
class IoPhase {
public:
    /// Collective. @param bytes  of this process; 0 where it is not known
    explicit IoPhase(const Job &job, std::int64_t bytes = 0)
        : job_(job.get()), code_(nereus_io_begin(job_, bytes)), exceptions_(std::uncaught_exceptions()) {}
    IoPhase(const IoPhase &) = delete;
    IoPhase &operator=(const IoPhase &) = delete;
    /// Collective, but where an exception leaves the block: others may not come here then.
    ~IoPhase() {
        if (code_ >= 0 && std::uncaught_exceptions() == exceptions_) nereus_io_end(job_);
    }

    /// What nereus_io_begin() returned.
    int code() const { return code_; }

private:
    nereus_job *job_;
    int code_;
    int exceptions_;
};

/// Calls `stay(job)` for this process' stay in a job, and again for as long as it is wanted again.
template <std::invocable<Job &> Stay> void run(MPI_Comm comm, int argc, char **argv, Stay stay) {
    for (bool wanted = true; wanted;) {
        Job job(comm, argc, argv);
        if (!job.leaving()) stay(job);
        wanted = job.close();
    }
}

}

#endif
