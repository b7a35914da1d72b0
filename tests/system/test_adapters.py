# SPDX-License-Identifier: BSD-3-Clause
"""Programs that save their own state are resized by a restart, asked and listed as any other job."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import LIMIT, ROOT, Site, wait_until

PROGRAM = Path(__file__).with_name("counting_program.py")
BY_SIGNAL = '[save]\nsignal = "TERM"\nfiles = ["state"]\nexit_codes = [0, 1]\n'
BY_FILE = '[save]\nrequest_file = "stop"\nfiles = ["state"]\n'
GOES_ON = """\
[restart]
arguments = ["continue"]
[progress]
file = "log"
pattern = 'step ([0-9]+) '
"""
LONG, SHORT = "100000", "150"


class Counting:
    """A job of the counting program."""

    def __init__(self, site: Site, mpi: str, adapter: str = BY_SIGNAL + GOES_ON) -> None:
        self.site, self.mpi = site, mpi
        site.write("adapter.toml", adapter)

    def started(self, *words: str, ranks: int = 2, options: tuple[str, ...] = ()) -> Any:
        """Named `count`; to be used in a `with` statement."""
        of_job = ("--adapter", "adapter.toml", "--mpi", self.mpi, "-n", str(ranks), "--name", "count")
        return self.site.started("run", *of_job, *options, "--", sys.executable, PROGRAM, *words)

    def lines(self) -> list[tuple[int, int]]:
        """Steps, and the ranks that they were done on."""
        log = self.site.folder / "log"
        text = log.read_text() if log.exists() else ""
        return [(int(step), int(ranks)) for step, ranks in re.findall(r"step (\d+) on (\d+)\n", text)]

    def sizes(self) -> list[int]:
        """Numbers of ranks, one after the other."""
        ranks = [each for _, each in self.lines()]
        return [each for at, each in enumerate(ranks) if at == 0 or ranks[at - 1] != each]

    def wait_for(self, process: "subprocess.Popen[str]", ranks: int) -> None:
        """Until it counts on so many."""

        def counts() -> bool:
            assert process.poll() is None, process.communicate()
            return self.sizes()[-1:] == [ranks]

        wait_until(counts)

    def resize(self, ranks: int, *options: str) -> Any:
        return self.site.nereus("resize", "count", str(ranks), "--json", *options)

    def kill_rank(self) -> None:
        os.kill(int((self.site.folder / "pid").read_text()), signal.SIGKILL)

    def check_all_steps(self) -> None:
        """Each was done once."""
        steps = [step for step, _ in self.lines()]
        assert steps == list(range(1, len(steps) + 1))


@pytest.mark.parametrize("adapter", [BY_SIGNAL, BY_FILE], ids=["signal", "file"])
def test_program_that_saves_itself_goes_on_with_other_ranks(site: Site, mpi: str, adapter: str) -> None:
    job = Counting(site, mpi, adapter + GOES_ON)
    with job.started(LONG) as process:
        job.wait_for(process, 2)
        listed = site.nereus("jobs", "--json").document["jobs"]
        assert [(each["name"], each["ranks"], each["mpi"]) for each in listed] == [("count", 2, mpi)]
        for before, ranks in ((2, 3), (3, 1)):
            result = job.resize(ranks)
            assert result.code == 0, (result.err, result.out)
            report = result.document["report"]
            assert (report["from"], report["to"], report["process_method"]) == (before, ranks, "restart")
            assert 0 < report["process_seconds"] <= report["pause_seconds"] < LIMIT
            job.wait_for(process, ranks)
        assert site.nereus("save", "count", "--stop").code == 0
        assert process.wait(LIMIT) == 75
    assert job.sizes() == [2, 3, 1]
    job.check_all_steps()
    assert not (site.folder / "stop").exists()


def test_adapted_job_ends_with_its_program(site: Site, mpich: str) -> None:
    job = Counting(site, mpich)
    with job.started(SHORT) as process:
        assert process.wait(LIMIT) == 0, process.communicate()
    job.check_all_steps()
    assert job.lines()[-1] == (int(SHORT), 2)
    with job.started(SHORT, "fails-on=1", ranks=1) as process:
        _, err = process.communicate(timeout=LIMIT)
    assert (process.returncode, "the job failed: a rank ended with exit code 3" in err) == (3, True), err


def test_resize_of_an_adapted_job_that_fails_on_other_ranks_is_rolled_back(site: Site, mpi: str) -> None:
    job = Counting(site, mpi)
    with job.started(LONG, "fails-on=3") as process:
        job.wait_for(process, 2)
        result = job.resize(3)
        assert (result.code, result.document["name"]) == (1, "NEREUS_ERR_PROCESS"), result.err
        assert "on 3 ranks: a rank ended with exit code 3" in result.document["message"]
        before = len(job.lines())
        wait_until(lambda: len(job.lines()) > before)
        assert job.resize(1).code == 0
        process.terminate()
        _, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 75, err
    assert job.sizes() == [2, 1]
    job.check_all_steps()


def test_adapted_job_without_progress_is_resized_once_its_program_is_stable(site: Site, mpich: str) -> None:
    # Long enough for four ranks of a program in Python to have failed.
    job = Counting(site, mpich, BY_SIGNAL + '[restart]\narguments = ["continue"]\nstable_after = "4 s"\n')
    with job.started(LONG, "fails-on=4") as process:
        job.wait_for(process, 2)
        assert job.resize(3).code == 0
        assert job.resize(4).document["name"] == "NEREUS_ERR_PROCESS"
        # It counted on 3 before, too: one that was only just started does not hear the signal yet.
        before = len(job.lines())
        wait_until(lambda: len(job.lines()) > before)
        assert job.sizes()[-1] == 3
        assert site.nereus("save", "count", "--stop").code == 0
        assert process.wait(LIMIT) == 75
    job.check_all_steps()


def test_adapted_job_that_does_not_save_in_time_goes_on(site: Site, mpich: str) -> None:
    job = Counting(site, mpich, BY_FILE + 'within = "0.5 s"\n' + GOES_ON)
    with job.started(LONG, "deaf") as process:
        job.wait_for(process, 2)
        result = job.resize(3)
        assert (result.code, result.document["name"]) == (1, "NEREUS_ERR_TIMEOUT")
        assert "has not ended within 0.5 s" in result.document["message"]
        assert process.poll() is None
        process.terminate()
        _, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 143, err
    assert "nothing was saved" in err
    assert not (site.folder / "stop").exists()


def test_adapted_job_saves_and_ends_at_sigterm_and_can_be_continued(site: Site, mpich: str) -> None:
    job = Counting(site, mpich)
    with job.started(LONG) as process:
        job.wait_for(process, 2)
        process.terminate()
        _, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 75, err
    said = f"nereus run --adapter adapter.toml --mpi mpich -n 2 -- {sys.executable} {PROGRAM} {LONG} continue"
    assert f"to continue: {said}" in err
    with job.started(SHORT, "continue", ranks=1) as process:
        assert process.wait(LIMIT) == 0
    job.check_all_steps()


def test_adapted_job_goes_on_from_what_its_program_saved_before_a_rank_was_killed(
    site: Site, mpi: str
) -> None:
    job = Counting(site, mpi)
    options = ("--recoveries", "1")
    with job.started(SHORT, "saves-every=10", options=options) as process:
        wait_until(lambda: len(job.lines()) > 25)
        job.kill_rank()
        _, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 0, err
    assert "it goes on from what it saved last (recovery 1)" in err
    steps = [step for step, _ in job.lines()]
    again = next(at for at in range(1, len(steps)) if steps[at] <= steps[at - 1])
    assert steps[again] % 10 == 1
    assert steps == [*range(1, steps[again - 1] + 1), *range(steps[again], int(SHORT) + 1)]


def test_adapted_job_does_not_go_on_from_what_another_job_saved(site: Site, mpich: str) -> None:
    job = Counting(site, mpich)
    site.write("state", "17")
    with job.started(LONG, options=("--recoveries", "1")) as process:
        wait_until(lambda: len(job.lines()) > 3)
        job.kill_rank()
        _, err = process.communicate(timeout=LIMIT)
    assert process.returncode != 0
    assert "it is not started again: state was not written since the job began" in err
    assert {step for step, _ in job.lines()} == set(range(1, len(job.lines()) + 1))


def test_adapted_job_that_continues_another_one_is_resized(site: Site, mpich: str) -> None:
    job = Counting(site, mpich)
    site.write("state", "0")
    with job.started(LONG, "continue") as process:
        job.wait_for(process, 2)
        assert job.resize(1).code == 0
        process.terminate()
        _, err = process.communicate(timeout=LIMIT)
    assert (process.returncode, err.count(f"{LONG} continue\n")) == (75, 1), err
    job.check_all_steps()


def test_adapted_job_that_is_stopped_during_a_resize_saves_at_once(site: Site, mpich: str) -> None:
    job = Counting(site, mpich, BY_SIGNAL + '[restart]\narguments = ["continue"]\nstable_after = "1 h"\n')
    with job.started(LONG) as process:
        job.wait_for(process, 2)
        with site.started("resize", "count", "3", "--json") as resize:
            job.wait_for(process, 3)
            process.terminate()
            out, err = resize.communicate(timeout=LIMIT)
        assert json.loads(out)["name"] == "NEREUS_ERR_STATE", err
        assert process.wait(LIMIT) == 75
    assert job.sizes() == [2, 3]
    job.check_all_steps()


def test_adapted_job_that_saves_too_late_goes_on_and_can_be_asked_again(site: Site, mpich: str) -> None:
    job = Counting(site, mpich, BY_SIGNAL + 'within = "0.5 s"\n' + GOES_ON)
    with job.started(LONG, "deaf") as process:
        job.wait_for(process, 2)
        assert job.resize(3).document["name"] == "NEREUS_ERR_TIMEOUT"
        before = len(job.lines())
        site.write("hears", "")
        wait_until(lambda: len(job.lines()) > before + 20)
        assert job.resize(1).code == 0
        process.terminate()
        _, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 75, err
    assert "it has saved and ended after all: it is started again on 2 ranks" in err
    assert job.sizes() == [2, 1]
    job.check_all_steps()


@pytest.mark.parametrize("code", [0, 1])
def test_adapted_job_that_ends_without_having_saved_has_failed(site: Site, mpich: str, code: int) -> None:
    adapter = BY_SIGNAL if code else BY_FILE
    job = Counting(site, mpich, adapter.replace('["state"]', '["state", "other"]') + GOES_ON)
    with job.started(LONG) as process:
        job.wait_for(process, 2)
        result = job.resize(3)
        _, err = process.communicate(timeout=LIMIT)
    problem = "other was not written after the program was asked to save"
    assert (result.code, result.document["message"]) == (1, problem)
    assert (process.returncode, f"the job failed: {problem}" in err) == (1, True), err


def test_adapted_job_within_a_rank_of_another_job_is_resized(site: Site, mpi: str) -> None:
    job = Counting(site, mpi)
    site.environment["PMI_RANK" if mpi == "mpich" else "OMPI_COMM_WORLD_RANK"] = "0"
    with job.started(LONG) as process:
        job.wait_for(process, 2)
        assert job.resize(1).code == 0
        process.terminate()
        assert process.wait(LIMIT) == 75
    job.check_all_steps()


def test_requests_for_an_adapted_job_are_carried_out_one_after_the_other(site: Site, mpich: str) -> None:
    job = Counting(site, mpich)
    with job.started(LONG) as process:
        job.wait_for(process, 2)
        for ranks in ("3", "3", "1"):
            assert site.nereus("resize", "count", ranks, "--no-wait").code == 0
        job.wait_for(process, 1)
        process.terminate()
        assert process.wait(LIMIT) == 75
    assert job.sizes() == [2, 3, 1]
    job.check_all_steps()


def test_adapted_job_refuses_what_its_program_cannot_do(site: Site, mpich: str) -> None:
    job = Counting(site, mpich)
    with job.started(LONG, options=("--max-ranks", "4")) as process:
        job.wait_for(process, 2)
        same = job.resize(2)
        assert (same.code, same.document["name"]) == (0, "NEREUS_UNCHANGED")
        for words, said in (
            (("5",), "1 to 4 are allowed"),
            (("3", "--process-method", "merge"), "process-method: options allowed are none"),
            (("--grow-to", "2"), "keeps the hosts that it began with"),
        ):
            result = site.nereus("resize", "count", *words)
            assert result.code != 0
            assert said in result.err
        result = site.nereus("save", "count")
        assert (result.code, "nereus save --stop" in result.err) == (1, True), result.err
        assert process.poll() is None
        assert job.sizes() == [2]
        process.terminate()
        assert process.wait(LIMIT) == 75


def test_adapted_job_grows_as_the_policy_of_a_daemon_decides(site: Site, mpich: str) -> None:
    job = Counting(site, mpich)
    daemon = ("daemon", "--cores", "3", "--policy", "fair", "--store", "store", "--set", "settle=0.2")
    with site.started(*daemon) as running:
        wait_until(lambda: site.nereus("daemon", "status").code == 0)
        with job.started(LONG) as process:
            job.wait_for(process, 3)

            def known() -> list[tuple[str, int]]:
                jobs = site.nereus("daemon", "status", "--json").document["jobs"]
                return [(each["name"], each["ranks"]) for each in jobs if each["iteration"] > 0]

            wait_until(lambda: known() == [("count", 3)])
            process.terminate()
            assert process.wait(LIMIT) == 75
            wait_until(lambda: site.nereus("daemon", "status", "--json").document["jobs"] == [])
        running.terminate()
        assert running.wait(LIMIT) == 0
    job.check_all_steps()


def test_daemon_knows_each_size_of_an_adapted_job_that_tells_no_progress(site: Site, mpich: str) -> None:
    def known() -> list[int]:
        return [job["ranks"] for job in site.nereus("daemon", "status", "--json").document["jobs"]]

    job = Counting(site, mpich, BY_SIGNAL + '[restart]\narguments = ["continue"]\nstable_after = 0.0\n')
    with site.started("daemon", "--cores", "4", "--policy", "none", "--store", "store") as daemon:
        wait_until(lambda: site.nereus("daemon", "status").code == 0)
        with job.started(LONG) as process:
            job.wait_for(process, 2)
            wait_until(lambda: known() == [2])
            for ranks in (3, 1):
                assert job.resize(ranks).code == 0
                wait_until(lambda ranks=ranks: known() == [ranks])  # type: ignore[misc]
                job.wait_for(process, ranks)
            process.terminate()
            assert process.wait(LIMIT) == 75
        daemon.terminate()
        assert daemon.wait(LIMIT) == 0


def installed_program(name: str, package: str) -> str:
    """A skipped test where it is not installed."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed; Debian's package {package} has it")
    return found


def adapted(site: Site, adapter: str, name: str, *command: str | Path) -> Any:
    """A job of a program that is built for Open MPI, with an adapter of our examples."""
    options = ("--adapter", ROOT / "examples" / "adapters" / adapter, "--mpi", "openmpi", "-n", "2")
    return site.started("run", *options, "--name", name, "--", *command)


def check_resizes(site: Site, process: "subprocess.Popen[str]", name: str) -> None:
    def iterates() -> bool:
        assert process.poll() is None, process.communicate()
        document = site.nereus("daemon", "status", "--json").document
        return any(job["name"] == name and job["iteration"] > 0 for job in document["jobs"])

    wait_until(iterates)
    for ranks in (1, 2):
        result = site.nereus("resize", name, str(ranks), "--json")
        assert result.code == 0, (result.err, result.out)
        assert result.document["report"]["to"] == ranks


def test_lammps_is_resized_by_its_adapter(site: Site, openmpi: str) -> None:
    program, script = installed_program("lmp", "lammps"), ROOT / "examples" / "adapters" / "melt.lammps"
    with site.started("daemon", "--cores", "2", "--store", "store") as daemon:
        wait_until(lambda: site.nereus("daemon", "status").code == 0)
        with adapted(
            site, "lammps.toml", "melt", program, "-log", "none", "-in", script, "-var", "steps", "3000"
        ) as process:
            check_resizes(site, process, "melt")
            out, err = process.communicate(timeout=LIMIT)
        assert process.returncode == 0, err
        daemon.terminate()
        assert daemon.wait(LIMIT) == 0
    assert [int(ranks) for ranks in re.findall(r"with (\d) MPI tasks", out)] == [2, 1, 2]
    assert re.search(r"\n +3000 +[-0-9.]+ ", out) is not None


WATER = """#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/spc.itp"
[ system ]
water
[ molecules ]
SOL 216
"""
RUN = """integrator = md
nsteps = 25000
dt = 0.001
coulombtype = Cut-off
rcoulomb = 0.8
rvdw = 0.8
rlist = 0.85
nstlog = 100
tcoupl = v-rescale
tc-grps = System
tau-t = 0.5
ref-t = 300
gen-vel = yes
"""


def test_gromacs_is_resized_by_its_adapter(site: Site, openmpi: str) -> None:
    program = installed_program("gmx_mpi", "gromacs")
    site.write("water.top", WATER)
    site.write("md.mdp", RUN)
    conf = "/usr/share/gromacs/top/spc216.gro"
    made = [installed_program("gmx", "gromacs"), "grompp", "-f", "md.mdp", "-c", conf, "-p", "water.top"]
    subprocess.run(
        [*made, "-o", "topol.tpr"], cwd=site.folder, check=True, capture_output=True, timeout=LIMIT
    )
    with site.started("daemon", "--cores", "2", "--store", "store") as daemon:
        wait_until(lambda: site.nereus("daemon", "status").code == 0)
        command = (program, "mdrun", "-s", "topol.tpr", "-ntomp", "1")
        with adapted(site, "gromacs.toml", "water", *command) as process:
            check_resizes(site, process, "water")
            _, err = process.communicate(timeout=LIMIT)
        assert process.returncode == 0, err
        daemon.terminate()
        assert daemon.wait(LIMIT) == 0
    log = (site.folder / "md.log").read_text()
    assert re.findall(r"Running on 1 node with total .*|Using (\d) MPI process", log)
    assert [int(ranks) for ranks in re.findall(r"Using (\d) MPI process", log)] == [2, 1, 2]
    assert re.search(r"\n +25000 +25.0", log) is not None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[save]\nfiles = ["x"]\n', "needs signal or request_file, and not both"),
        ('[save]\nsignal = "KILL"\nfiles = ["x"]\n', 'adapter.toml:2: save.signal = "KILL": one of ABRT'),
        ('[save]\nsignal = "TERM"\n', "save.files: is missing: a list of names of files"),
        (
            '[save]\nsignal = "TERM"\nfiles = ["x"]\nwithn = 3\n',
            "adapter.toml:4: save.withn = 3: unknown key; did you mean within?",
        ),
        (
            BY_SIGNAL + "[progress]\nfile = 'x'\npattern = '('\n",
            'progress.pattern = "(": a regular expression with one group',
        ),
        ("", "save: is missing"),
        (BY_SIGNAL + "[resize]\ntransfer_method = 'col'\n", "resize = "),
        (BY_SIGNAL + "[restart]\narguments = ['a\\u0000']\n".replace("'", '"'), "restart.arguments"),
        ("[save", "TOML syntax"),
    ],
)
def test_wrong_adapter_is_refused_with_file_line_and_key(
    site: Site, mpich: str, text: str, said: str
) -> None:
    job = Counting(site, mpich, text)
    with job.started(LONG) as process:
        _, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 2
    assert said in err
    assert not (site.folder / "log").exists()


def test_options_of_jobs_with_nereus_are_refused_beside_an_adapter(site: Site, mpich: str) -> None:
    job = Counting(site, mpich)
    for options in (("--save", "epochs"), ("--protect", "memory"), ("--placement", "measured")):
        with job.started(LONG, options=options) as process:
            _, err = process.communicate(timeout=LIMIT)
        assert process.returncode == 2
        assert f"{options[0]} = {options[1]}: does not go together with --adapter" in err
    site.write("stop", "")
    job = Counting(site, mpich, BY_FILE + GOES_ON)
    with job.started(LONG) as process:
        _, err = process.communicate(timeout=LIMIT)
    assert (process.returncode, "is there already: remove it first" in err) == (2, True), err
    assert (site.folder / "stop").exists()
