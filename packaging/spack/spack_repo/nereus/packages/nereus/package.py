# SPDX-License-Identifier: BSD-3-Clause
"""Nereus for one MPI, from the archive that scripts/source_archive makes."""

from pathlib import Path

from spack.package import (
    EnvironmentModifications,
    Executable,
    depends_on,
    license,
    run_before,
    variant,
    version,
    working_dir,
)
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator


class Nereus(CMakePackage):
    """MPI jobs that grow and shrink while they run: a library, and the command `nereus`.

    The command runs with the Python packages of the archive, in an environment of its own: Spack's are older.
    """

    # No archive is published: a mirror has it, or the folder in which Spack is called.
    url = f"file://{Path.cwd()}/nereus-0.1.0.tar.gz"
    manual_download = True

    license("BSD-3-Clause")

    # It has this recipe in it, so that its sum cannot be told here: spack install --no-checksum.
    version("0.1.0")

    generator("ninja")
    variant("scotch", default=True, description="nereus place also asks Scotch for a placement")
    variant("simgrid", default=False, description="nereus simulate transfer and placement")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cli11", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("robin-map", type="build")
    depends_on("tl-expected", type="build")
    depends_on("xxhash", type="build")
    depends_on("hwloc@2:")
    depends_on("libzmq")
    depends_on("mpi")
    depends_on("python@3.11:", type=("build", "run"))
    depends_on("scotch", when="+scotch")
    depends_on("simgrid@3.32:", when="+simgrid")

    @property
    def python_environment(self) -> Path:
        """The Python environment of the command."""
        return Path(self.prefix, "lib", "nereus")

    @property
    def nereus_prefix(self) -> Path:
        """Where `nereus` looks for builds: one for each MPI, here one."""
        return self.python_environment / "lib" / "nereus" / self.spec["mpi"].name

    @property
    def cmake_prefix_paths(self) -> list[str]:
        """For packages that link the library."""
        return [str(self.nereus_prefix)]

    @run_before("cmake")
    def install_command(self) -> None:
        """First, because its environment also has what the library is made with."""
        python = self.spec["python"].command.path
        with working_dir(self.stage.source_path):
            Executable("scripts/install")(str(self.prefix), extra_env={"PYTHON": python})

    def cmake_args(self) -> list[str]:
        """Of several values for one name CMake takes the last."""
        mpi = self.spec["mpi"]
        return [
            self.define("CMAKE_INSTALL_PREFIX", str(self.nereus_prefix)),
            self.define("CMAKE_INSTALL_LIBDIR", "lib"),
            self.define("NEREUS_MPI_NAME", mpi.name),
            self.define("NEREUS_TESTS", False),
            self.define("CMAKE_UNITY_BUILD", True),
            self.define("CMAKE_UNITY_BUILD_BATCH_SIZE", 24),
            self.define("MPI_C_COMPILER", mpi.mpicc),
            self.define("MPI_CXX_COMPILER", mpi.mpicxx),
            self.define("MPIEXEC_EXECUTABLE", f"{mpi.prefix}/bin/mpiexec"),
            self.define("Python3_EXECUTABLE", str(self.python_environment / "bin" / "python3")),
        ]

    def setup_run_environment(self, env: EnvironmentModifications) -> None:
        """Spack itself puts PREFIX/bin into PATH, where the command is."""
        env.prepend_path("PATH", str(self.nereus_prefix / "bin"))
        env.prepend_path("CMAKE_PREFIX_PATH", str(self.nereus_prefix))
        env.prepend_path("PKG_CONFIG_PATH", str(self.nereus_prefix / "lib" / "pkgconfig"))
        env.set("NEREUS_BUILDS", str(self.nereus_prefix.parent))
