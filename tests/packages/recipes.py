#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: tests/packages/recipes.py WORK_DIRECTORY
Runs the vcpkg port and the Conan recipe of packaging/ with stand-ins for the functions and classes that they call: the stand-ins
configure, build and install for real, and check that what the recipe names exists. Neither vcpkg nor Conan is needed."""
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import types

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PORT = os.path.join(ROOT, "packaging/vcpkg/keel")
JOBS = str(os.cpu_count() or 1)

VCPKG = r"""
cmake_minimum_required(VERSION 3.22)
set(CURRENT_PACKAGES_DIR "@WORK@/package")
set(PORT keel)
set(FEATURES @FEATURES@)
function(vcpkg_check_features)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUT_FEATURE_OPTIONS" "FEATURES")
  set(options "")
  while(arg_FEATURES)
    list(POP_FRONT arg_FEATURES feature option)
    if(feature IN_LIST FEATURES)
      list(APPEND options -D${option}=ON)
    else()
      list(APPEND options -D${option}=OFF)
    endif()
  endwhile()
  set(${arg_OUT_FEATURE_OPTIONS} ${options} PARENT_SCOPE)
endfunction()
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  run(${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B @WORK@/build -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O0\ -DNDEBUG
      -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} ${arg_OPTIONS})
endfunction()
function(vcpkg_cmake_install)
  run(${CMAKE_COMMAND} --build @WORK@/build --parallel @JOBS@ --target install)
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "PACKAGE_NAME;CONFIG_PATH" "")
  need(${arg_CONFIG_PATH}/${arg_PACKAGE_NAME}-config.cmake)
endfunction()
function(vcpkg_fixup_pkgconfig)
  need(lib/pkgconfig/keel.pc)
  need(lib/pkgconfig/keel-mpi.pc)
endfunction()
function(vcpkg_copy_tools)
  cmake_parse_arguments(PARSE_ARGV 0 arg "AUTO_CLEAN" "" "TOOL_NAMES")
  foreach(tool IN LISTS arg_TOOL_NAMES)
    need(bin/${tool})
  endforeach()
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  foreach(file IN LISTS arg_FILE_LIST)
    if(NOT EXISTS ${file})
      message(FATAL_ERROR "there is no ${file}")
    endif()
  endforeach()
endfunction()
function(need file)
  if(NOT EXISTS ${CURRENT_PACKAGES_DIR}/${file})
    message(FATAL_ERROR "the port names ${file}, which was not installed")
  endif()
endfunction()
include(@PORT@/portfile.cmake)
need(lib/libkeel_mpi.a)
if(NOT mpi IN_LIST FEATURES)
  file(READ ${CURRENT_PACKAGES_DIR}/lib/pkgconfig/keel-mpi.pc text)
  if(text MATCHES "-lmpi")
    message(FATAL_ERROR "keel::mpi was built with MPI, which was not asked for")
  endif()
endif()
foreach(addon save sqlite)
  if(addon IN_LIST FEATURES)
    need(lib/libkeel_${addon}.a)
  elseif(EXISTS ${CURRENT_PACKAGES_DIR}/lib/libkeel_${addon}.a)
    message(FATAL_ERROR "keel::${addon} was installed, and is no feature that was asked for")
  endif()
endforeach()
"""


def check(condition, problem):
    if not condition:
        sys.exit(f"recipes.py: {problem}")


def project_version():
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"project\(keel VERSION ([\d.]+)", file.read())[1]


def run_port(work, features):
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    text = VCPKG.replace("@WORK@", work).replace("@FEATURES@", " ".join(features)).replace("@PORT@", PORT).replace("@JOBS@", JOBS)
    with open(os.path.join(work, "run.cmake"), "w", encoding="utf-8") as file:
        file.write(text)
    result = subprocess.run([os.environ.get("CMAKE", "cmake"), "-P", os.path.join(work, "run.cmake")], check=False)
    check(result.returncode == 0, f"the port fails with the features {features}")


def check_vcpkg(work):
    with open(os.path.join(PORT, "vcpkg.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    check(manifest["version"] == project_version(), f"vcpkg.json says version {manifest['version']}, CMakeLists.txt {project_version()}")
    with open(os.path.join(PORT, "portfile.cmake"), encoding="utf-8") as file:
        told = re.search(r"FEATURES\n(.*?)\n\)", file.read(), re.S)[1].split()[::2]
    check(told == sorted(manifest["features"]), f"vcpkg.json has the features {sorted(manifest['features'])}, the portfile {told}")
    run_port(os.path.join(work, "vcpkg"), [])
    run_port(os.path.join(work, "vcpkg-all"), told)


class Settings:
    os, build_type, compiler = "Linux", "Release", "gcc"

    def rm_safe(self, name):
        check(name in ("compiler.libcxx", "compiler.cppstd"), f"the recipe removes the setting {name}")


class Options(dict):
    def __getattr__(self, name):
        return self[name]

    def __delattr__(self, name):
        del self[name]

    def rm_safe(self, name):
        self.pop(name, None)


class Component:
    def __init__(self):
        self.libs, self.requires, self.system_libs, self.defines, self.properties = [], [], [], [], {}

    def set_property(self, name, value):
        self.properties[name] = value


class Components(dict):
    def __missing__(self, name):
        self[name] = Component()
        return self[name]


def stand_ins(work):
    """Modules with the names of Conan's, of what the recipe uses."""
    conan, errors, tools, cmake, files = (types.ModuleType(name) for name in (
        "conan", "conan.errors", "conan.tools", "conan.tools.cmake", "conan.tools.files"))

    class CMake:
        def __init__(self, recipe):
            self.recipe = recipe

        def run(self, *arguments):
            subprocess.run([os.environ.get("CMAKE", "cmake"), *arguments], check=True, stdout=subprocess.DEVNULL)

        def configure(self):
            values = [f"-D{k}={'ON' if v else 'OFF'}" for k, v in self.recipe.toolchain.items()]
            shared = "ON" if self.recipe.options.shared else "OFF"
            self.run("-S", self.recipe.source_folder, "-B", os.path.join(work, "build"), "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_INSTALL_LIBDIR=lib",
                     "-DCMAKE_C_FLAGS_RELEASE=-O0 -DNDEBUG", f"-DBUILD_SHARED_LIBS={shared}",
                     f"-DCMAKE_INSTALL_PREFIX={self.recipe.package_folder}", *values)

        def build(self):
            self.run("--build", os.path.join(work, "build"), "--parallel", JOBS)

        def install(self):
            self.run("--install", os.path.join(work, "build"))

    class CMakeToolchain:
        def __init__(self, recipe):
            self.cache_variables, self.recipe = {}, recipe

        def generate(self):
            self.recipe.toolchain = self.cache_variables

    class CMakeDeps:
        def __init__(self, recipe):
            pass

        def generate(self):
            pass

    def copy(recipe, pattern, src, dst):
        source = os.path.join(src, pattern.rstrip("*").rstrip("/"))
        check(os.path.exists(source), f"the recipe copies {pattern}, which does not exist")
        target = os.path.join(dst, pattern.rstrip("*").rstrip("/"))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, target)

    def load(recipe, path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    conan.ConanFile = object
    errors.ConanInvalidConfiguration = ValueError
    cmake.CMake, cmake.CMakeToolchain, cmake.CMakeDeps = CMake, CMakeToolchain, CMakeDeps
    cmake.cmake_layout = lambda recipe: None
    files.copy, files.load, files.rmdir = copy, load, lambda recipe, path: shutil.rmtree(path)
    for module in (conan, errors, tools, cmake, files):
        sys.modules[module.__name__] = module


def check_conan(work):
    shutil.rmtree(work, ignore_errors=True)
    stand_ins(work)
    spec = importlib.util.spec_from_file_location("conanfile", os.path.join(ROOT, "packaging/conan/conanfile.py"))
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    recipe = module.Keel()
    required = []
    recipe.requires = required.append
    recipe.settings, recipe.recipe_folder = Settings(), os.path.join(ROOT, "packaging/conan")
    recipe.export_sources_folder = recipe.source_folder = os.path.join(work, "source")
    recipe.package_folder = os.path.join(work, "package")
    recipe.options = Options(recipe.default_options)
    check(set(recipe.options) == set(module.Keel.options), "the recipe has an option without a default")
    recipe.options.update(save=True, sqlite=True, mpi=True)
    recipe.cpp_info = types.SimpleNamespace(components=Components())
    recipe.set_version()
    check(recipe.version == project_version(), f"the recipe reads version {recipe.version}")
    for step in ("export_sources", "config_options", "configure", "validate", "layout", "requirements", "generate", "build", "package",
                 "package_info"):
        getattr(recipe, step)()
    check(len(required) == 4, f"the recipe requires {required}")
    for name, component in recipe.cpp_info.components.items():
        for library in component.libs:
            check(os.path.exists(os.path.join(recipe.package_folder, "lib", f"lib{library}.a")), f"component {name}: lib{library}.a was not installed")
    recipe.settings.compiler = "msvc"
    try:
        recipe.validate()
    except ValueError:
        return
    check(False, "the recipe accepts MSVC")


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    work = os.path.abspath(sys.argv[1])
    check_vcpkg(work)
    check_conan(os.path.join(work, "conan"))
    shutil.rmtree(work)
    print("the vcpkg port and the Conan recipe build, install and name what exists")


main()
