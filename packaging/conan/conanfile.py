# SPDX-License-Identifier: MIT
# Builds Keel for Conan 2 from the checkout that this recipe stands in (packaging/README.md).
import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir


class Keel(ConanFile):
    name = "keel"
    description = "Entity Component System in C"
    license = "MIT"
    topics = ("ecs", "entity-component-system", "game-development", "simulation")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "entity_32": [True, False], "save": [True, False], "sqlite": [True, False], "inspect": [True, False], "enet": [True, False], "mpi": [True, False]}
    default_options = {"shared": False, "fPIC": True, "entity_32": False, "save": False, "sqlite": False, "inspect": False, "enet": False, "mpi": False}

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, "..", "..", "CMakeLists.txt"))
        self.version = text.split("project(keel VERSION ")[1].split()[0]

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*", "addons/*"):
            copy(self, pattern, src=root, dst=self.export_sources_folder)

    def config_options(self):
        if self.settings.os == "Windows":
            del self.options.fPIC

    def configure(self):
        if self.options.shared:
            self.options.rm_safe("fPIC")
        self.settings.rm_safe("compiler.libcxx")
        self.settings.rm_safe("compiler.cppstd")

    def validate(self):
        if self.settings.compiler == "msvc":
            raise ConanInvalidConfiguration("Keel is compiled by gcc or clang, not by MSVC's cl")
        if self.settings.os == "Windows" and (self.options.save or self.options.sqlite or self.options.inspect or self.options.mpi):
            raise ConanInvalidConfiguration(
                "keel::save, keel::sqlite, keel::inspect and keel::mpi need POSIX calls: set -o save=False -o sqlite=False -o inspect=False -o mpi=False")

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        if self.options.save:
            self.requires("zstd/[>=1.5 <1.6]")
            self.requires("xxhash/[>=0.8 <0.9]")
        if self.options.sqlite:
            self.requires("sqlite3/[>=3.37 <4]")
        if self.options.inspect:
            self.requires("libmicrohttpd/[>=0.9.75 <2]")
            self.requires("jansson/[>=2.13 <3]")
        if self.options.enet:  # the default transport of keel::session
            self.requires("enet/[>=1.3.13 <2]")
        if self.options.mpi:  # processes as ranks of keel::mpi
            self.requires("openmpi/[>=4.1 <5]")

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["KEEL_ENTITY_32"] = bool(self.options.entity_32)
        toolchain.cache_variables["KEEL_SAVE"] = bool(self.options.save)
        toolchain.cache_variables["KEEL_SQLITE"] = bool(self.options.sqlite)
        toolchain.cache_variables["KEEL_INSPECT"] = bool(self.options.inspect)
        toolchain.cache_variables["KEEL_SESSION_ENET"] = bool(self.options.enet)
        toolchain.cache_variables["KEEL_MPI"] = bool(self.options.mpi)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))

    def package_info(self):
        postfix = "d" if self.settings.build_type == "Debug" else ""
        core = self.cpp_info.components["core"]
        core.set_property("cmake_target_name", "keel::keel")
        core.set_property("pkg_config_name", "keel")
        core.libs = ["keel" + postfix]
        if self.options.entity_32:
            core.defines = ["KEEL_ENTITY_32=1"]
        if self.settings.os in ("Linux", "FreeBSD"):
            core.system_libs = ["pthread"]
        needs = {"json": [], "maths": [], "query": [], "session": ["maths"], "transform": []}
        if self.options.save:
            needs["save"] = ["zstd::zstd", "xxhash::xxhash"]
        if self.options.sqlite:
            needs["sqlite"] = ["sqlite3::sqlite3"]
        if self.options.inspect:
            needs["inspect"] = ["json", "query", "libmicrohttpd::libmicrohttpd", "jansson::jansson"] + (["save"] if self.options.save else [])
        if self.options.enet:
            needs["session"].append("enet::enet")
        if self.settings.os != "Windows":
            needs["mpi"] = (["save"] if self.options.save else []) + (["openmpi::openmpi"] if self.options.mpi else [])
        for addon, others in needs.items():
            component = self.cpp_info.components[addon]
            component.set_property("cmake_target_name", f"keel::{addon}")
            component.libs = [f"keel_{addon}{postfix}"]
            component.requires = others if addon == "maths" else ["core"] + others
            if addon in ("maths", "mpi", "session", "transform") and self.settings.os in ("Linux", "FreeBSD"):
                component.system_libs = ["m"]
