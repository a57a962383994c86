# Spack's recipe of Sferic: it builds the checkout that it lies in.
#
#   spack repo add packaging/spack/spack_repo/sferic
#   spack install sferic                        the last commit of the branch main
#   spack dev-build sferic@main                 from the root of the checkout: the files as they are
#
# SPDX-License-Identifier: MIT
import os
import re

from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *

_ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), *[".."] * 6))


class Sferic(MakefilePackage, CudaPackage):
    """Weather forecasts (nonhydrostatic, fully compressible air with cloud and rain) and electromagnetic waves
    (Maxwell's equations in time, FDTD) from a Fortran namelist, on cores, a GPU, or over MPI."""

    homepage = "file://" + _ROOT
    git = "file://" + _ROOT

    license("MIT")

    version("main", branch="main")

    variant("mpi", default=True, description="Runs on several ranks")
    variant("precision", default="32", values=("32", "64"), multi=False, description="Bits of a number")
    variant("tools", default=True, description="What sferic-plot, sferic-prepare and sferic-against take")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type="run")
    depends_on("netcdf-c@4.7:")
    depends_on("xxhash@0.8:")
    depends_on("openmpi@4:", when="+mpi")  # the Makefile asks its mpicc --showme
    depends_on("cuda@11:", when="+cuda")
    with when("+tools"):
        depends_on("py-xarray", type="run")
        depends_on("py-netcdf4", type="run")
        depends_on("py-matplotlib", type="run")

    conflicts("platform=darwin", msg="Sferic asks Linux what it has of memory and cores")
    conflicts("platform=windows")

    def _march(self):
        """What -march= the target of this spec stands for."""
        c = self.spec["c"]
        name = {"llvm": "clang"}.get(c.name, c.name)
        try:
            flags = self.spec.target.optimization_flags(name, str(c.version))
        except Exception:  # a compiler that archspec knows nothing of
            flags = ""
        found = re.search(r"-march=(\S+)", flags)
        return found.group(1) if found else "native"

    def _options(self):
        spec = self.spec
        options = [
            "CC=" + spack_cc,
            "ARCH=" + self._march(),
            "PREC=" + spec.variants["precision"].value,
            "MPI=" + ("1" if spec.satisfies("+mpi") else "0"),
            "CUDA=" + ("1" if spec.satisfies("+cuda") else "0"),
            "prefix=" + self.prefix,
        ]
        if spec.satisfies("+cuda"):
            options.append("NVCC=" + spec["cuda"].prefix.bin.nvcc)
            chosen = [a for a in spec.variants["cuda_arch"].value if a != "none"]
            if chosen:
                options.append("CUDA_ARCH=" + " ".join(chosen))
        return options

    @property
    def build_targets(self):
        return ["all"] + self._options()

    @property
    def install_targets(self):
        return ["install"] + self._options()

    # `make check` takes a quarter of an hour and installs nothing: it is for who works on the source.
    def check(self):
        pass

    def test_doctor(self):
        """the program starts, and says that cases run here"""
        print(Executable(self.prefix.bin.sferic)("doctor", output=str))
