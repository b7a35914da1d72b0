# SPDX-License-Identifier: BSD-3-Clause
"""The module file of Lmod, run by Lua with functions in the place of Lmod's that print their calls."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

CALLS = """\
local function named(name)
    _G[name] = function(...) print(name, ...) end
end
for _, name in ipairs({"family", "depends_on", "prepend_path", "setenv", "whatis", "help"}) do named(name) end
function LmodError(...) io.stderr:write(..., "\\n") os.exit(1) end
function mode() return arg[1] end
function myFileName() return "nereus.lua" end
function pathJoin(...) return (table.concat({...}, "/"):gsub("//+", "/")) end
function isFile(path) local file = io.open(path) if file then file:close() end return file ~= nil end
"""


@pytest.fixture
def installation(tmp_path: Path) -> Path:
    """As scripts/install leaves it, without a file in it but what tells a build."""
    build = tmp_path / "lib" / "nereus" / "lib" / "nereus" / "mpich-5.0.2"
    build.mkdir(parents=True)
    (build / "mpi.json").write_text("{}")
    return tmp_path


def run(repository: Path, folder: Path, mode: str, mpi: str = "") -> subprocess.CompletedProcess[str]:
    """The module, for an installation in this folder."""
    lua = shutil.which("lua5.3") or shutil.which("lua")
    if lua is None:
        pytest.skip("there is no Lua (Debian: lua5.3)")
    text = (repository / "packaging" / "lmod" / "nereus.lua").read_text()
    text, changed = re.subn(r'^local prefix = ".*"$', f'local prefix = "{folder}"', text, flags=re.MULTILINE)
    text, given = re.subn(r'^local mpi = "".*$', f'local mpi = "{mpi}"', text, flags=re.MULTILINE)
    assert changed == given == 1
    script = folder / "called.lua"
    script.write_text(CALLS + text)
    return subprocess.run([lua, script, mode], capture_output=True, text=True, timeout=60, check=False)


def calls_in(printed: str) -> list[list[str]]:
    lines = [line.split("\t") for line in printed.splitlines()]
    return [line for line in lines if line[0] in ("family", "depends_on", "prepend_path", "setenv")]


def test_module_sets_what_the_command_and_compilers_need(repository: Path, installation: Path) -> None:
    done = run(repository, installation, "load")
    builds = f"{installation}/lib/nereus/lib/nereus"
    build = f"{builds}/mpich-5.0.2"
    assert (done.returncode, done.stderr) == (0, "")
    assert calls_in(done.stdout) == [
        ["family", "nereus"],
        ["prepend_path", "PATH", f"{build}/bin"],
        ["prepend_path", "PATH", f"{installation}/bin"],
        ["prepend_path", "CMAKE_PREFIX_PATH", build],
        ["prepend_path", "PKG_CONFIG_PATH", f"{build}/lib/pkgconfig"],
        ["prepend_path", "LD_LIBRARY_PATH", f"{build}/lib"],
        ["setenv", "NEREUS_BUILDS", builds],
    ]


def test_module_loads_that_of_its_mpi(repository: Path, installation: Path) -> None:
    done = run(repository, installation, "load", mpi="mpich/5.0.2")
    assert ["depends_on", "mpich/5.0.2"] in calls_in(done.stdout)


def test_missing_build_is_reported_when_the_module_is_loaded_alone(repository: Path, tmp_path: Path) -> None:
    done = run(repository, tmp_path, "load")
    assert done.returncode == 1
    assert done.stderr == (
        f"nereus: {tmp_path}/lib/nereus/lib/nereus/mpich-5.0.2: there is no build of Nereus; "
        "prefix and build in nereus.lua say where\n"
    )
    assert run(repository, tmp_path, "spider").returncode == 0
