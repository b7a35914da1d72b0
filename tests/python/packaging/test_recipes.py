# SPDX-License-Identifier: BSD-3-Clause
"""Recipes of packaging/ name this version, what the project needs, and files and options that there are."""

import ast
import re
import shlex
import tomllib
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, requires
from pathlib import PurePosixPath
from typing import Any

import pytest
import typer
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from typer.main import get_command

from nereus.cli.main import app

DEBIAN, CONTAINER = "packaging/debian", "packaging/container"
UNIT = "packaging/systemd/nereus-daemon.service"
EASYCONFIG = "packaging/easybuild/Nereus-0.1.0-GCC-14.3.0-MPICH-4.3.2.eb"
SPACK = "packaging/spack/spack_repo/nereus"
SPACK_PACKAGE = f"{SPACK}/packages/nereus/package.py"
#: What CMake must find to build Nereus, as Debian, Spack and EasyBuild call it; "": it is always there.
NEEDED = {
    "MPI": ("libopenmpi-dev", "mpi", "MPICH"),
    "Threads": ("", "", ""),
    "PkgConfig": ("pkg-config", "pkgconfig", "pkgconf"),
    "Python3": ("python3", "python", "Python"),
    "tl-expected": ("libexpected-dev", "tl-expected", "tl-expected"),
    "nlohmann_json": ("nlohmann-json3-dev", "nlohmann-json", "nlohmann_json"),
    "CLI11": ("libcli11-dev", "cli11", "CLI11"),
    "tsl-robin-map": ("robin-map-dev", "robin-map", "robin-map"),
    "libzmq": ("libzmq3-dev", "libzmq", "ZeroMQ"),
    "xxhash.h": ("libxxhash-dev", "xxhash", "xxHash"),
}


@pytest.fixture(scope="module")
def version(tracked: dict[str, str]) -> str:
    return str(tomllib.loads(tracked["pyproject.toml"])["project"]["version"])


@pytest.fixture(scope="module")
def needed(tracked: dict[str, str]) -> set[str]:
    """What the library and its programs cannot be made without, as CMake and includes have it."""
    rooms = ("src/", "preload/", "bindings/", "tools/", "applications/", "CMakeLists.txt")
    texts = [text for path, text in tracked.items() if path.startswith(rooms)]
    found: set[str] = set()
    for text in texts:
        found |= set(re.findall(r"^ *find_package\((\S+) REQUIRED", text, re.MULTILINE))
        found |= set(re.findall(r"^ *pkg_check_modules\(\S+ REQUIRED .*?(\w+)\)", text, re.MULTILINE))
        found |= set(re.findall(r"^#include <(xxhash\.h)>", text, re.MULTILINE))
    return found


def depends_of(python: str) -> set[str]:
    """The names in calls of depends_on."""
    calls = [node for node in ast.walk(ast.parse(python)) if isinstance(node, ast.Call)]
    specs = [ast.literal_eval(each.args[0]) for each in calls if getattr(each.func, "id", "") == "depends_on"]
    return {re.split(r"[@+~]", spec)[0] for spec in specs}


def easyconfig_of(text: str) -> dict[str, Any]:
    """What it sets, with the constants that EasyBuild has; it is Python."""
    values: dict[str, Any] = {
        "SYSTEM": {"name": "system"},
        "SOURCELOWER_TAR_GZ": "%(namelower)s-%(version)s.tar.gz",
    }
    exec(compile(ast.parse(text), EASYCONFIG, "exec"), values)
    return values


def control_of(text: str) -> list[dict[str, str]]:
    """The paragraphs of a control file of Debian."""
    paragraphs = re.split(r"\n\n+", text.strip())
    fields = [
        re.findall(r"^([\w-]+): *((?:.*\n?)(?:[ \t].*\n?)*)", each, re.MULTILINE) for each in paragraphs
    ]
    return [dict(each) for each in fields]


def names_in(relations: str) -> set[str]:
    return {re.split(r"[\s(]", each.strip())[0] for each in relations.split(",")}


@pytest.fixture(scope="module")
def build_dependencies(tracked: dict[str, str]) -> set[str]:
    return names_in(control_of(tracked[f"{DEBIAN}/control"])[0]["Build-Depends"])


def test_all_recipes_are_of_this_version(tracked: dict[str, str], version: str) -> None:
    assert re.match(r"nereus \(([\d.]+)\) ", tracked[f"{DEBIAN}/changelog"])[1] == version  # type: ignore[index]
    assert re.findall(r'\bversion\("([^"]+)"', tracked[SPACK_PACKAGE]) == [version]
    easyconfig = easyconfig_of(tracked[EASYCONFIG])
    toolchain = easyconfig["toolchain"]
    assert easyconfig["version"] == version
    suffix = easyconfig["versionsuffix"]
    assert (
        PurePosixPath(EASYCONFIG).stem
        == f"Nereus-{version}-{toolchain['name']}-{toolchain['version']}{suffix}"
    )
    assert re.findall(r'^local version = "(.*)"', tracked["packaging/lmod/nereus.lua"], re.MULTILINE) == [
        version
    ]


def test_recipes_build_from_the_archive_that_is_made(tracked: dict[str, str], version: str) -> None:
    """Its name is in scripts/source_archive, which tests/python/packaging/test_install.py runs."""
    archive = f"nereus-{version}.tar.gz"
    named = r"nereus-[\d.]*\d(?:\.tar\.gz)?\b"
    for path in (f"{CONTAINER}/Dockerfile", f"{CONTAINER}/nereus.def", SPACK_PACKAGE, "packaging/README.md"):
        found = set(re.findall(named, tracked[path]))
        assert archive in found and found <= {archive, f"nereus-{version}"}, path
    easyconfig = easyconfig_of(tracked[EASYCONFIG])
    (source,) = easyconfig["sources"]
    assert source % {"namelower": easyconfig["name"].lower(), "version": easyconfig["version"]} == archive


def test_recipes_depend_on_what_cmake_needs(
    tracked: dict[str, str], needed: set[str], build_dependencies: set[str]
) -> None:
    assert needed == set(NEEDED)
    easyconfig = easyconfig_of(tracked[EASYCONFIG])
    available = (
        build_dependencies,
        depends_of(tracked[SPACK_PACKAGE]),
        {each[0] for kind in ("builddependencies", "dependencies") for each in easyconfig[kind]},
    )
    for names in NEEDED.values():
        for name, there in zip(names, available, strict=True):
            assert not name or name in there, name


def test_debian_packages_are_built_with_what_make_demo_installs(
    tracked: dict[str, str], build_dependencies: set[str]
) -> None:
    (listed,) = re.findall(r"^demo=\((.*)\)$", tracked["scripts/packages"], re.MULTILINE)
    assert set(listed.split()) - build_dependencies == set()


def test_debian_packages_are_those_that_rules_fill(tracked: dict[str, str]) -> None:
    names = {each["Package"].strip() for each in control_of(tracked[f"{DEBIAN}/control"])[1:]}
    (mpis,) = re.findall(r"^MPIS := (.*)$", tracked[f"{DEBIAN}/rules"], re.MULTILINE)
    assert names == {"nereus", *(f"nereus-{mpi}" for mpi in mpis.split())}
    presets = set(re.findall(r'"name": "(\w+-debian)"', tracked["CMakePresets.json"]))
    assert {f"{mpi}-debian" for mpi in mpis.split()} == presets, "builds have the names of documents"


def test_debian_packages_have_wheels_as_they_were_published(tracked: dict[str, str]) -> None:
    """What looks into each file takes minutes for those of wheels, and would change them."""
    rules = tracked[f"{DEBIAN}/rules"]
    for step in ("dh_strip", "dh_strip_nondeterminism", "dh_dwz", "dh_shlibdeps"):
        assert f"override_{step}:\n\t{step} -Xsite-packages\n" in rules, step


def test_files_that_recipes_take_are_there(tracked: dict[str, str]) -> None:
    recipes = {path: text for path, text in tracked.items() if path.startswith("packaging/")}
    named = {
        (path, file)
        for path, text in recipes.items()
        for file in re.findall(r"(?<![\w/.])((?:scripts|packaging)/[\w./-]*\w)", text)
    }
    for line in tracked[f"{DEBIAN}/nereus.install"].splitlines():
        named.add((f"{DEBIAN}/nereus.install", line.split()[0]))
    assert len(named) > 10
    folders = {str(folder) for path in tracked for folder in PurePosixPath(path).parents}
    assert [(path, file) for path, file in sorted(named) if file not in tracked and file not in folders] == []


def test_options_that_recipes_give_to_cmake_are_known(tracked: dict[str, str]) -> None:
    known = set(re.findall(r"^(?:set|option)\((NEREUS_\w+)", tracked["CMakeLists.txt"], re.MULTILINE))
    for path in (f"{DEBIAN}/rules", EASYCONFIG, SPACK_PACKAGE):
        given = set(re.findall(r"(?:-D|define\(\")(\w+)", tracked[path]))
        assert {"NEREUS_MPI_NAME", "CMAKE_INSTALL_LIBDIR", "Python3_EXECUTABLE", "MPI_C_COMPILER"} <= given, (
            path
        )
        assert "CMAKE_UNITY_BUILD" in given, f"{path}: compiles file by file"
        assert {name for name in given if name.startswith("NEREUS_")} <= known, path


def service_of(text: str) -> dict[str, str]:
    """Keys of the unit that stand once."""
    return dict(re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE))


def test_unit_runs_a_command_that_there_is(tracked: dict[str, str]) -> None:
    unit = service_of(tracked[UNIT])
    starter, name, command, options = shlex.split(unit["ExecStart"])
    assert (starter, name, options) == ("/usr/bin/env", "nereus", "$NEREUS_DAEMON_OPTIONS")
    root: Any = get_command(app)
    daemon = root.resolve_command(typer.Context(root), [command])[1]
    known = {name for each in daemon.params for name in each.opts}
    documents = tracked[UNIT] + tracked["packaging/README.md"]
    given = [shlex.split(each) for each in re.findall(r'NEREUS_DAEMON_OPTIONS="(.*?)"', documents)]
    assert given and all(word in known for words in given for word in words if word.startswith("--"))


def test_unit_does_not_restart_a_daemon_that_refuses(tracked: dict[str, str], nereus: Any) -> None:
    code, _, _ = nereus("daemon", "--policy", "nonsense")
    assert str(code) in service_of(tracked[UNIT])["RestartPreventExitStatus"].split()


def test_spack_repository_has_a_class_for_each_package(tracked: dict[str, str]) -> None:
    assert yaml.safe_load(tracked[f"{SPACK}/repo.yaml"])["repo"]["namespace"] == PurePosixPath(SPACK).name
    packages = [path for path in tracked if path.startswith(f"{SPACK}/packages/")]
    assert len(packages) > 1
    for path in packages:
        folder = PurePosixPath(path).parent.name
        classes = [node.name for node in ast.parse(tracked[path]).body if isinstance(node, ast.ClassDef)]
        assert classes == ["".join(word.capitalize() for word in folder.split("_"))]


def test_easyconfig_looks_for_files_that_are_installed(tracked: dict[str, str]) -> None:
    files = easyconfig_of(tracked[EASYCONFIG])["sanity_check_paths"]["files"]
    programs = {PurePosixPath(file).name for file in files if "/bin/nereus-" in file}
    cmake = "".join(text for path, text in tracked.items() if path.endswith("CMakeLists.txt"))
    assert programs and all(f"install(TARGETS {name} " in cmake for name in programs)


def missing_pins(names: set[str], pinned: set[str], needs: Mapping[str, list[str]]) -> set[str]:
    """What these distributions need in the end, and no line pins."""
    todo, seen = sorted(names), set[str]()
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += needs.get(name, [])
    return seen - pinned


def needs_of(name: str) -> list[str]:
    """Canonical names of what a distribution needs here; extras are not followed."""
    try:
        listed = [Requirement(each) for each in requires(name) or []]
    except PackageNotFoundError:
        return []
    return [
        canonicalize_name(each.name)
        for each in listed
        if each.marker is None or each.marker.evaluate({"extra": ""})
    ]


def test_all_that_the_command_needs_is_pinned(tracked: dict[str, str]) -> None:
    """Recipes install what requirements.txt has, and nothing else can be fetched then."""
    project = tomllib.loads(tracked["pyproject.toml"])
    asked = project["project"]["dependencies"] + project["build-system"]["requires"]
    pins = {
        canonicalize_name(name): version
        for name, version in re.findall(r"^([\w.-]+)==(\S+)", tracked["requirements.txt"], re.MULTILINE)
    }
    direct = {canonicalize_name(Requirement(each).name): Requirement(each) for each in asked}
    needs: dict[str, list[str]] = {name: needs_of(name) for name in {*direct, *pins}}
    assert sum(map(len, needs.values())) > 20
    assert missing_pins(set(direct), set(pins), needs) == set()
    assert [name for name, each in direct.items() if not each.specifier.contains(pins[name])] == []


def test_missing_pins_are_found() -> None:
    assert missing_pins({"a"}, {"a", "b"}, {"a": ["b"], "b": ["c", "a"]}) == {"c"}
