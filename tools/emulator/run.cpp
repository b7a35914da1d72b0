// SPDX-License-Identifier: BSD-3-Clause
#include "run.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/methods.hpp"
#include "base/strategies.hpp"
#include "fields.hpp"

namespace emulator {

namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 60; // sums of such sizes stay within int64_t
constexpr std::int64_t most_iterations = std::int64_t{1} << 40;
constexpr std::int64_t most_recoveries = 1'000'000;

// Several MPIs take only int counts; a stage with a greater message is refused here rather than cut off there.
constexpr std::int64_t most_message = INT_MAX;

std::string element(const char *array, std::size_t index) {
    return std::string(array) + "[" + std::to_string(index) + "]";
}

std::vector<std::pair<std::string_view, const StageType *>> words_of_stages() {
    std::vector<std::pair<std::string_view, const StageType *>> words;
    for (const StageType *type : stage_types()) words.emplace_back(type->word, type);
    return words;
}

bool begins(const StageSpec &stage) { return stage.type->kind == StageKind::begin; }

// What one operation leaves of its time can be waited out; an ip2p goes on behind its stage.
bool can_be_padded(const StageSpec &stage) {
    if (stage.capped || is_compute(stage) || begins(stage)) return false;
    return stage.bytes > 0 || is_wait(stage);
}

StageSpec read_stage(const Json &json, const std::string &path, Complaint &complaint) {
    Fields fields(json, path, complaint);
    StageSpec stage;
    stage.type = fields.choice("type", words_of_stages());
    stage.seconds = fields.number("seconds", true);
    const std::int64_t most = is_file(stage) ? most_bytes : most_message;
    stage.bytes = fields.integer("bytes", 0, is_compute(stage) ? most_bytes : most);
    stage.granularity = fields.integer("granularity", 1, most_message);
    stage.capped = fields.boolean("capped");
    stage.id = fields.integer_or_null("id", 0, INT64_MAX, -1);
    stage.ranks = static_cast<int>(fields.integer("ranks", 0, INT_MAX));
    if (stage.id < 0 && (begins(stage) || is_wait(stage))) fields.complain("id", "an integer for ip2p and wait");
    if (fields.has("padded")) stage.padded = fields.boolean("padded");
    if (stage.padded && !can_be_padded(stage))
        fields.complain("padded", "false, but for wait, and one operation with bytes of p2p, bcast, allgather, reduce, "
                                  "allreduce, write, read");
    fields.refuse_others();
    return stage;
}

// Each ip2p needs one wait behind it, and each wait one ip2p before it, or requests would stay open over a resize.
void check_pairs(const PhaseSpec &phase, const std::string &path, Complaint &complaint) {
    std::vector<std::int64_t> open;
    std::size_t index = 0;
    for (const StageSpec &stage : phase.stages) {
        const std::string key = path + "." + element("stages", index++) + ".id";
        const auto found = std::ranges::find(open, stage.id);
        if (begins(stage)) {
            if (found != open.end())
                complaint.say(key, std::to_string(stage.id) + " twice", "an id that waits for nothing");
            open.push_back(stage.id);
        } else if (is_wait(stage)) {
            if (found == open.end()) {
                complaint.say(key, std::to_string(stage.id), "the id of an ip2p before it in this phase");
                return;
            }
            open.erase(found);
        }
    }
    if (!open.empty())
        complaint.say(path + ".stages", "ip2p " + std::to_string(open.front()), "an ip2p with a later wait of its id");
}

PhaseSpec read_phase(const Json &json, const std::string &path, Complaint &complaint) {
    Fields fields(json, path, complaint);
    PhaseSpec phase;
    phase.iterations = fields.integer("iterations", 1, most_iterations);
    for (const Json &stage : fields.array("stages", true))
        phase.stages.push_back(read_stage(stage, fields.path_of(element("stages", phase.stages.size())), complaint));
    fields.refuse_others();
    check_pairs(phase, path, complaint);
    return phase;
}

// What does not go together the library refuses too, but only when the resize is asked for, in the middle of the run.

unsigned read_strategies(Fields &fields) {
    const std::vector<std::string> &known = nereus::words::process_strategies;
    std::string together;
    for (const Json &word : fields.array("process_strategies", true)) {
        if (!word.is_string() || !nereus::number_of(known, word.get<std::string>())) {
            fields.complain("process_strategies", "[], or some of " + nereus::allowed_of(known));
            return 0;
        }
        together.append(together.empty() ? "" : "+").append(word.get<std::string>());
    }
    const auto strategies = nereus::strategies::read_strategies(together.empty() ? "none" : together);
    if (!strategies) fields.complain("process_strategies", "what goes together: " + strategies.error().what);
    return strategies.value_or(0);
}

void check_transfer(const GroupSpec &group, Fields &fields) {
    const auto done = nereus::check_transfer(group.process_method, group.transfer_method, group.transfer_strategy);
    if (!done) fields.complain("transfer_method", "what goes together: " + done.error().what);
}

std::vector<double> read_weights(Fields &fields) {
    std::vector<double> weights;
    for (const Json &weight : fields.array("weights", false)) {
        const double value = weight.is_number() ? weight.get<double>() : 0.0;
        if (!(std::isfinite(value) && value > 0)) fields.complain("weights", "numbers above 0");
        weights.push_back(value);
    }
    return weights;
}

std::vector<double> read_times(Fields &fields) {
    std::vector<double> times;
    for (const Json &time : fields.array("times", false)) {
        const double seconds = time.is_number() ? time.get<double>() : -1.0;
        if (!(std::isfinite(seconds) && seconds >= 0)) fields.complain("times", "numbers from 0");
        times.push_back(seconds);
    }
    return times;
}

GroupSpec read_group(const Json &json, const std::string &path, Complaint &complaint) {
    Fields fields(json, path, complaint);
    GroupSpec group;
    group.weights.clear();
    group.iterations = fields.integer("iterations", 0, most_iterations);
    group.ranks = static_cast<int>(fields.integer("ranks", 1, INT_MAX));
    group.factor = fields.number("factor", false);
    if (fields.has("weights")) group.weights = read_weights(fields);
    if (fields.has("times")) group.times = read_times(fields);
    group.placement = fields.choice("placement", placements());
    group.release_unit = fields.choice_or("release_unit", release_units(), NEREUS_UNIT_JOB);
    group.process_method = fields.choice("process_method", process_methods());
    group.process_strategies = read_strategies(fields);
    group.transfer_method = fields.choice("transfer_method", transfer_methods());
    group.transfer_strategy = fields.choice("transfer_strategy", transfer_strategies());
    group.survivors = fields.choice_or("survivors", survivor_choices(), NEREUS_FIRST);
    check_transfer(group, fields);
    fields.refuse_others();
    return group;
}

void read_data(const Json &json, Run &run, Complaint &complaint) {
    Fields fields(json, "data", complaint);
    run.constant_bytes = fields.integer("constant_bytes", 0, most_bytes);
    run.variable_bytes = fields.integer("variable_bytes", 0, most_bytes);
    run.element_bytes = fields.integer("element_bytes", 1, 8);
    if (run.element_bytes != 1 && run.element_bytes != 2 && run.element_bytes != 4 && run.element_bytes != 8)
        fields.complain("element_bytes", "1, 2, 4, 8");
    run.memory = fields.choice_or<std::string>(
        "memory", {{"auto", "auto"}, {"shared", "shared"}, {"private", "private"}}, "private");
    fields.refuse_others();
}

void read_general(Fields &fields, Run &run, Complaint &complaint) {
    if (fields.text("format") != "nereus-run") fields.complain("format", "nereus-run");
    fields.integer("version", 1, 1);
    fields.text("name");
    run.seed = static_cast<std::uint64_t>(fields.integer("seed", 0, INT64_MAX));
    run.barrier = fields.boolean("barrier");
    run.capture = fields.choice<Capture>("capture",
                                         {{"max", Capture::max}, {"mean", Capture::mean}, {"median", Capture::median}});
    run.verify = fields.boolean("verify");
    read_data(fields.object("data"), run, complaint);
    run.scratch = fields.text("scratch");
}

void check_times(const Run &run, Complaint &complaint) {
    const std::size_t stages = run.stages();
    std::size_t index = 0;
    for (const GroupSpec &group : run.groups) {
        if (!group.times.empty() && group.times.size() != stages)
            complaint.say(element("groups", index) + ".times", std::to_string(group.times.size()) + " numbers",
                          std::to_string(stages) + ", one for each stage of all phases");
        ++index;
    }
}

void read_lists(Fields &fields, Run &run, Complaint &complaint) {
    const std::vector<double> weights = read_weights(fields);
    for (const Json &phase : fields.array("phases", false))
        run.phases.push_back(read_phase(phase, element("phases", run.phases.size()), complaint));
    for (const Json &group : fields.array("groups", false))
        run.groups.push_back(read_group(group, element("groups", run.groups.size()), complaint));
    for (GroupSpec &group : run.groups)
        if (group.weights.empty()) group.weights = weights;
    check_times(run, complaint);
}

// A size has one behaviour.
void read_resizes(Fields &fields, Run &run, Complaint &complaint) {
    run.resizes = fields.choice_or<Resizes>(
        "resizes", {{"scheduled", Resizes::scheduled}, {"commanded", Resizes::commanded}}, Resizes::scheduled);
    if (!run.is_commanded()) return;
    for (std::size_t index = 0; index < run.groups.size(); ++index)
        if (const int ranks = run.groups[index].ranks; run.group_for(ranks) != index)
            complaint.say(element("groups", index) + ".ranks", std::to_string(ranks) + " twice",
                          "each number of ranks once, where resizes are commanded");
}

void read_protection(Fields &fields, Run &run, Complaint &complaint) {
    if (!fields.has("protection")) return;
    Fields protection(fields.object("protection"), "protection", complaint);
    run.protection =
        protection.choice<Protection>("level", {{"memory", Protection::in_memory}, {"disk", Protection::on_disk}});
    // Whoever starts the job makes settings of these.
    if (protection.has("every") && fields.object("protection")["every"] != "auto") protection.number("every", false);
    if (protection.has("recoveries")) protection.integer("recoveries", 0, most_recoveries);
    protection.refuse_others();
    if (run.is_commanded()) fields.complain("protection", "none where resizes are commanded");
}

FailureSpec read_failure(const Json &json, const std::string &path, Complaint &complaint) {
    Fields fields(json, path, complaint);
    FailureSpec failure;
    failure.iteration = fields.integer("iteration", 1, most_iterations);
    failure.whole_host = fields.choice<bool>("what", {{"rank", false}, {"host", true}});
    failure.rank = fields.integer_or_null("rank", 0, INT_MAX, -1);
    fields.refuse_others();
    return failure;
}

void read_failures(Fields &fields, Run &run, Complaint &complaint) {
    if (!fields.has("failures")) return;
    const Json &failures = fields.array("failures", true);
    if (run.protection == Protection::none && !failures.empty()) fields.complain("failures", "none without protection");
    std::int64_t last = 0;
    for (const Json &json : failures) {
        const std::string path = element("failures", run.failures.size());
        const FailureSpec &failure = run.failures.emplace_back(read_failure(json, path, complaint));
        if (failure.iteration <= last)
            complaint.say(path + ".iteration", std::to_string(failure.iteration), "an iteration after the one before");
        last = failure.iteration;
    }
}

// What holds for the stages of the whole run. Run files of before these keys are as Proteo's code has it.
void read_rules_of_stages(Fields &fields, Run &run) {
    const bool scales_all = fields.choice_or<bool>("factor_scales", {{"computation", false}, {"all", true}}, true);
    const Reduce reduction =
        fields.choice_or<Reduce>("reduction", {{"sum", Reduce::sum}, {"max", Reduce::max}}, Reduce::max);
    for (PhaseSpec &phase : run.phases)
        for (StageSpec &stage : phase.stages) {
            stage.scaled = scales_all || is_compute(stage);
            stage.reduction = reduction;
        }
}

bool uses_files(const Run &run) {
    return std::ranges::any_of(run.phases, [](const PhaseSpec &phase) {
        return std::ranges::any_of(phase.stages, [](const StageSpec &stage) { return is_file(stage); });
    });
}

// The folder matters only to runs that write there; a run that was copied from another host is not refused for it.
void check_scratch(Fields &fields, const Run &run) {
    std::error_code error;
    if (uses_files(run) && !std::filesystem::is_directory(run.scratch, error))
        fields.complain("scratch", "an existing folder");
}

std::string where(const std::string &text, std::size_t byte) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
    return "line " + std::to_string(1 + std::count(text.begin(), end, '\n'));
}

tl::unexpected<Failure> refused(const std::string &file, const std::string &what) {
    return failure(file + ": " + what, exit_bad_input);
}

Result<std::string> read_text(const std::string &file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    if (stream) text << stream.rdbuf();
    if (!stream || !text) return refused(file, "run file: found none that can be read, allowed a readable file");
    return text.str();
}

} // namespace

std::int64_t Run::iterations() const {
    std::int64_t sum = 0;
    for (const PhaseSpec &phase : phases) sum += phase.iterations;
    return sum;
}

std::size_t Run::stages() const {
    std::size_t sum = 0;
    for (const PhaseSpec &phase : phases) sum += phase.stages.size();
    return sum;
}

std::optional<std::size_t> Run::group_for(int ranks) const {
    const auto found = std::ranges::find(groups, ranks, &GroupSpec::ranks);
    if (found == groups.end()) return std::nullopt;
    return static_cast<std::size_t>(found - groups.begin());
}

bool is_compute(const StageSpec &stage) { return stage.type->kind == StageKind::compute; }
bool is_file(const StageSpec &stage) { return stage.type->kind == StageKind::file; }
bool is_local(const StageSpec &stage) { return is_compute(stage) || is_file(stage); }
bool is_wait(const StageSpec &stage) { return stage.type->kind == StageKind::wait; }

Result<Run> parse_run(const std::string &file, const std::string &text) {
    Run run;
    try {
        run.document = Json::parse(text);
    } catch (const Json::parse_error &error) {
        return refused(file, where(text, error.byte) + ": found a syntax error, allowed JSON");
    }
    Complaint complaint;
    Fields fields(run.document, "", complaint);
    read_general(fields, run, complaint);
    read_lists(fields, run, complaint);
    read_rules_of_stages(fields, run);
    read_resizes(fields, run, complaint);
    read_protection(fields, run, complaint);
    read_failures(fields, run, complaint);
    fields.refuse_others();
    check_scratch(fields, run);
    if (complaint.first()) return refused(file, *complaint.first());
    return run;
}

Result<Run> load_run(const std::string &file, MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    Result<std::string> text = rank == 0 ? read_text(file) : std::string();
    std::int64_t length = text ? static_cast<std::int64_t>(text->size()) : -1;
    if (length > INT_MAX) length = -1;
    MPI_Bcast(&length, 1, MPI_INT64_T, 0, comm);
    if (length < 0)
        return text ? refused(file, "run file: found none, allowed a readable file below 2 GiB")
                    : tl::make_unexpected(text.error());
    text->resize(static_cast<std::size_t>(length));
    MPI_Bcast(text->data(), static_cast<int>(length), MPI_CHAR, 0, comm);
    return parse_run(file, *text);
}

} // namespace emulator
