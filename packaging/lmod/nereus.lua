-- SPDX-License-Identifier: BSD-3-Clause
-- Module of Lmod for an installation of scripts/install, with one of its builds. Copy it to nereus/0.1.0.lua below a
-- folder of MODULEPATH, and change what the installation is: another build gets a module of another name.
local prefix = "/opt/nereus"
local build = "mpich-5.0.2" -- a folder of prefix/lib/nereus/lib/nereus
local mpi = "" -- the module of the MPI of this build, such as "mpich/5.0.2"; "" where it needs none

local version = "0.1.0"
local builds = pathJoin(prefix, "lib/nereus/lib/nereus")
local root = pathJoin(builds, build)

help([[
nereus --help lists the commands; nereus doctor tells what the MPI of this build can do. CMake finds the library with
find_package(nereus), others with pkg-config.
]])
whatis("Name: nereus")
whatis("Version: " .. version)
whatis("Description: MPI jobs that grow and shrink while they run; build " .. build)

-- Two builds at once would be one: the first that is found.
family("nereus")
if mpi ~= "" then
    depends_on(mpi)
end
if mode() == "load" and not isFile(pathJoin(root, "mpi.json")) then
    LmodError("nereus: " .. root .. ": there is no build of Nereus; prefix and build in " .. myFileName() .. " say where")
end

prepend_path("PATH", pathJoin(root, "bin"))
prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("CMAKE_PREFIX_PATH", root)
prepend_path("PKG_CONFIG_PATH", pathJoin(root, "lib/pkgconfig"))
prepend_path("LD_LIBRARY_PATH", pathJoin(root, "lib"))
-- For Python programs that have Nereus in an environment of their own; the command finds its builds without it.
setenv("NEREUS_BUILDS", builds)
