# SPDX-License-Identifier: BSD-3-Clause
"""Headers that the monitor is compiled with; Spack's own packages lack them."""

from spack.package import depends_on, license, version
from spack_repo.builtin.build_systems.cmake import CMakePackage


class RobinMap(CMakePackage):
    """A hash map and a hash set of C++ in headers alone, with robin hood hashing."""

    homepage = "https://github.com/Tessil/robin-map"
    url = "https://github.com/Tessil/robin-map/archive/refs/tags/v1.4.0.tar.gz"

    license("MIT")

    version("1.4.0", sha256="7930dbf9634acfc02686d87f615c0f4f33135948130b8922331c16d90a03250c")

    depends_on("cxx", type="build")
