# SPDX-License-Identifier: MIT
# The few commands one needs. The build itself is CMake's: see CMakeLists.txt and CMakePresets.json.
JOBS ?= $(shell nproc)
MAKEFLAGS += --no-print-directory
SOURCES = $(shell find $(wildcard include src addons tests examples benchmarks) \
	\( -name '*.[ch]' -o -name '*.cpp' \) -not -path 'tests/mistakes/*')

# Without tests, to need neither cmocka nor a C++ compiler; and a newer compiler may warn of more.
FOR_USERS = -DKEEL_BUILD_TESTS=OFF -DKEEL_BUILD_BENCHMARKS=OFF -DKEEL_WERROR=OFF

.PHONY: help demo demo-inspect demo-mpi play swarm test bench check format clean
.PHONY: amalgamate dist bindings cost cost-update check-cost
.PHONY: check-format check-layers check-acceptance check-house check-docs check-debug check-release check-asan \
	check-tsan check-perturb check-tiny check-clang check-dist check-valgrind check-data check-hardened check-static
.NOTPARALLEL:

help:
	@echo "make demo    build the orrery and draw a year of the solar system: out/orrery.png, .csv"
	@echo "make play    build Square Eater and play it in a window: eat the squares that grow"
	@echo "make swarm   100,000 boids on all cores, in a window"
	@echo "make demo-inspect   the swarm, and its entities, systems and times in the browser"
	@echo "make demo-mpi       an epidemic, a flock and cells on four processes: out/epidemic.png, _map.png, .csv, flock.png, cells.png"
	@echo "make test    build with all checks and run the tests that are quick, in two minutes"
	@echo "make bench   run the benchmarks, some 10 minutes: a table, and out/bench.json"
	@echo "make bench-session  what a rollback session costs beside the frames of its game, its bytes, joining"
	@echo "make bench-ranks    what keel::mpi costs beside a model: ghosts, moves, balance, bytes, checkpoints"
	@echo "make bench-inspect  what the inspector costs: frames without it, with it, and with a page that asks"
	@echo "make bench-maths    nanoseconds of a call of keel::maths, beside the C library"
	@echo "make cost    count the instructions of every operation, beside the figures of docs/reference/cost.md"
	@echo "make amalgamate   all of Keel as two files, dist/keel.h and dist/keel.c"
	@echo "make dist         what is published: these two, archives of the sources, the book and the web page, checksums"
	@echo "make bindings     what the headers say, bindings/api.json, and the bindings that are made of it"
	@echo "make book    write the book as HTML: out/book/index.html"
	@echo "make deb     build Debian packages, and check them with lintian: out/deb"
	@echo "make check   all that CI has: every other test, format, layers, cost, release, sanitizers, clang, valgrind, docs"
	@echo "make coverage   which lines of src/ the tests reach, in a build of its own (tools/coverage)"
	@echo "make fuzz    ten minutes of libFuzzer over the public interface (tools/fuzz)"
	@echo "make soak    a world that lives long: does memory return, how long do edits and frames take"
	@echo "make models  explore the models of the threads completely, with spin: a minute or two (tools/models)"
	@echo "make matrix  build and test for other processors and systems, under emulators: an hour (tools/matrix)"
	@echo "make web     compile the examples with a picture for browsers: out/web/index.html (tools/build_web)"
	@echo "make check-web  open these pages in Chromium, and send keys and touches"
	@echo "make check-inspector  find planted faults on the page of the inspector, in Chromium"
	@echo "make check-mpi  keel::mpi on processes of MPI, which the other checks do without"
	@echo "make format  format the sources"
	@echo "make clean   remove build/ and out/"
	@echo "Missing Debian packages are installed on the way: see tools/install_packages."

demo:
	tools/install_packages demo
	cmake --preset release $(FOR_USERS)
	cmake --build --preset release -j $(JOBS) --target orrery
	mkdir -p out
	build/release/examples/orrery/orrery --data examples/orrery/data/bodies.csv \
		--from 2026-11-21 --days 365 --step 1 --belt 100000 --seed 1 \
		--csv out/orrery.csv --image out/orrery.png

play: GAME = square_eater
swarm: GAME = swarm
play swarm:
	tools/install_packages games
	cmake --preset release $(FOR_USERS)
	cmake --build --preset release -j $(JOBS) --target $(GAME)
	build/release/examples/$(GAME)/$(GAME) $(GAME_OPTIONS)

# The swarm with its inspector: it prints an address, and runs until it is stopped. Without a display it has no window.
demo-inspect:
	tools/install_packages inspect
	cmake --preset release $(FOR_USERS)
	cmake --build --preset release -j $(JOBS) --target swarm swarm_headless
	build/release/examples/swarm/swarm$(if $(DISPLAY)$(WAYLAND_DISPLAY),,_headless) --inspect-edits $(GAME_OPTIONS)

# An epidemic, a flock and cells on RANKS processes of MPI. Containers have no other user than root, whom Open MPI refuses otherwise.
RANKS ?= 4
demo-mpi:
	tools/install_packages mpi
	cmake --preset release $(FOR_USERS)
	cmake --build --preset release -j $(JOBS) --target epidemic flock cells
	mkdir -p out
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
		mpirun -n $(RANKS) --oversubscribe build/release/examples/epidemic/epidemic --people 100000 --days 120 \
		--curve out/epidemic.png --csv out/epidemic.csv
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
		mpirun -n $(RANKS) --oversubscribe build/release/examples/epidemic/epidemic --people 100000 --days 50 \
		--travel 0.01 --quiet --map out/epidemic_map.png
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
		mpirun -n $(RANKS) --oversubscribe build/release/examples/flock/flock --boids 30000 --steps 400 \
		--picture out/flock.png --curve out/flock_curve.png
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
		mpirun -n $(RANKS) --oversubscribe build/release/examples/cells/cells --cells 6000 --steps 400 \
		--picture out/cells.png --curve out/cells_curve.png

# While KEEL_TEST_CI is set, as .ci/run does, a part of the tests: tests/ci.txt says which. Regular
# expressions have signs that a shell would take for names of files. ROW is the line of that table.
ROW = $*
PRESET = $*
PLAY = set -f; export KEEL_TEST_PART=$$(tools/ci_tests $(ROW) part); \
	cmake --preset $(PRESET) $(OPTIONS) $$(tools/ci_tests $(ROW) cmake) && \
	cmake --build --preset $(PRESET) -j $(JOBS) $(TARGETS) && ctest --preset $(PRESET) -j $(JOBS) $$(tools/ci_tests $(ROW) ctest)

# The tests that are quick: `make check-debug` plays all.
test: ROW = test
test: PRESET = debug
test:
	tools/install_packages test
	$(PLAY)

.PHONY: coverage
coverage:
	tools/install_packages test
	tools/coverage --run

.PHONY: fuzz
fuzz:
	tools/fuzz libfuzzer 600

# A world that lives long. SOAK_EDITS=1000000000 is a day of a game, and takes half an hour or more.
SOAK_EDITS ?= 100000000
.PHONY: soak
soak:
	tools/install_packages test
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target soak
	build/release/tests/soak/soak --edits $(SOAK_EDITS)

# WEB=orrery builds one of them.
.PHONY: web check-web
web:
	tools/install_packages web
	JOBS=$(JOBS) tools/build_web $(WEB)

check-web: web
	tools/install_packages browser
	tests/web/run.sh programs
	tests/web/run.sh together

# What a function of keel::maths costs, beside the C library.
.PHONY: bench-maths
bench-maths:
	tools/install_packages bench
	cmake --preset release $(OPTIONS) -DKEEL_BUILD_BENCHMARKS=ON
	cmake --build --preset release -j $(JOBS) --target bench_maths
	build/release/benchmarks/bench_maths

# What a rollback session costs: frames alone, in a session, and with each frame corrected, in turns.
.PHONY: bench-session
bench-session:
	tools/install_packages bench
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target bench_session
	build/release/benchmarks/bench_session

# What a domain costs beside its model: ghosts, moves, balance, bytes and checkpoints.
.PHONY: bench-ranks
bench-ranks:
	tools/install_packages bench mpi
	cmake --preset release $(OPTIONS) -DKEEL_BUILD_BENCHMARKS=ON
	cmake --build --preset release -j $(JOBS) --target bench_ranks
	build/release/benchmarks/bench_ranks

# What the inspector costs: the same program without it and with it, in turns.
.PHONY: bench-inspect
bench-inspect:
	tools/install_packages bench inspect
	cmake --preset release $(OPTIONS) -DKEEL_BUILD_BENCHMARKS=ON
	cmake --build --preset release -j $(JOBS) --target bench_inspect
	build/release/benchmarks/bench_inspect

# Programs with a planted fault: somebody finds each on the page of the inspector, by clicking.
check-inspector:
	tools/install_packages test browser
	cmake --preset release -DKEEL_BENCH_NATIVE=OFF -DKEEL_BUILD_EXAMPLES=OFF -DKEEL_TEST_BOTH_WIDTHS=OFF
	tools/build_inspector_page --check
	cmake --build --preset release -j $(JOBS) --target inspect_faults
	tests/web/run.sh inspector
.PHONY: check-inspector

# Every page of the book in Chromium: links, errors, width, search.
check-book: book
	tools/install_packages browser
	tests/web/run.sh book
.PHONY: check-book

.PHONY: models
models:
	tools/install_packages models
	tools/models

.PHONY: matrix
matrix:
	tools/install_packages matrix
	tools/matrix --write

# BENCH_FILTER is a regular expression of names workload/storage/N: make bench BENCH_FILTER=^iter_2/
BENCH_REPETITIONS ?= 5
BENCH_FILTER ?= .

bench:
	tools/install_packages bench
	cmake --preset release $(FOR_USERS) -DKEEL_BUILD_EXAMPLES=OFF -DKEEL_BUILD_BENCHMARKS=ON \
		-DKEEL_BENCH_NATIVE=ON
	cmake --build --preset release -j $(JOBS) --target keel_bench
	mkdir -p out
	build/release/benchmarks/keel_bench --benchmark_filter='$(BENCH_FILTER)' \
		--benchmark_enable_random_interleaving=true --benchmark_repetitions=$(BENCH_REPETITIONS) \
		--benchmark_out=out/bench.json --benchmark_out_format=json

# COST_BASE=commit compares with the library of that commit, COST_FILTER prints some operations only.
export COST_BASE COST_FILTER JOBS

cost check-cost:
	@tools/install_packages cost
	@tools/cost check

cost-update:
	@tools/install_packages cost
	@tools/cost update

book:
	@tools/install_packages book
	@tools/build_book
.PHONY: book

deb:
	@tools/install_packages deb
	@JOBS=$(JOBS) tools/build_deb

# Installs the packages in a root of their own, builds programs against them, and removes them.
check-deb: deb
	tests/packages/deb.sh
# The vcpkg port and the Conan recipe.
check-recipes: check-packages
	tests/packages/recipes.py build/recipes
.PHONY: deb check-deb check-recipes

amalgamate:
	@tools/install_packages amalgamate
	tools/amalgamate

dist: book web dist-sources

# What is published, without the book and the page: these are added if out/ has them.
dist-sources:
	@tools/install_packages amalgamate
	tools/make_dist
.PHONY: dist-sources

bindings:
	tools/api_json
	tools/make_bindings

check: check-format check-layers check-house check-acceptance check-bindings check-cost check-debug check-release check-data check-asan \
	check-tsan check-perturb check-tiny check-clang check-static check-hardened check-dist check-valgrind check-docs check-book check-web check-inspector check-recipes check-planted check-mpi

check-packages:
	@tools/install_packages check
.PHONY: check-packages

check-format: check-packages
	@clang-format --dry-run -Werror $(SOURCES)

check-layers:
	@tools/check_layers

check-acceptance:
	@tools/check_acceptance

# bindings/ is what the headers give.
check-bindings:
	@tools/api_json --check
	@tools/make_bindings --check
.PHONY: check-bindings

# The figures of the house style, and their limits.
check-house:
	@tools/check_house

check-debug check-release check-asan check-tsan check-perturb check-tiny check-clang check-hardened check-dist: check-%: check-packages
	$(PLAY)
	@$(THEN)

# Flags that ask for protection, and what they come to.
check-hardened: THEN = tools/check_hardened build/hardened

# Defects that `make test` and the random tests must find, 15 minutes.
check-planted: check-packages
	tests/planted/planted.py
.PHONY: check-planted

# gcc -fanalyzer, clang-tidy and cppcheck over src/, two or three minutes.
check-static:
	@tools/install_packages static
	@tools/check_static

# keel::mpi on processes of MPI. The last of CI, because after it MPI is installed, and other parts shall do without.
check-mpi: ROW = mpi
check-mpi: PRESET = mpi
check-mpi: TARGETS = --target keel_played
check-mpi:
	@tools/install_packages test mpi
	$(PLAY)
.PHONY: check-mpi

# What the library can write besides the memory of worlds.
check-data: check-packages
	@cmake --preset release -DKEEL_BENCH_NATIVE=OFF >/dev/null
	@cmake --build --preset release -j $(JOBS) --target keel >/dev/null
	@tools/check_data build/release/libkeel.a

# The tests of the public interface against the two files, and a program for Windows that links.
check-dist: dist-sources check-windows

check-windows: check-packages
	tests/consumer/run.sh windows build/windows
.PHONY: check-windows

# The benchmarks must build; `make bench` builds them, and a library of their own, for this processor.
check-release: OPTIONS = -DKEEL_BENCH_NATIVE=OFF

# Every unit test of the debug build; each must give back all its memory. With handles of one width, as
# for the sanitizers: debug and release run both.
check-valgrind: check-packages
	set -f; cmake --preset debug $$(tools/ci_tests debug cmake)
	cmake --build --preset debug -j $(JOBS)
	set -f; ctest --test-dir build/debug -N -L unit $$(tools/ci_tests valgrind ctest) | sed -n 's|^ *Test *#[0-9]*: |build/debug/unit/|p' | \
		grep -v '_32$$' | \
		xargs -P $(JOBS) -n 1 tools/valgrind_test

check-docs: check-packages
	@tools/check_verbs
	@tools/install_packages pages
	@tools/build_book --check

format:
	clang-format -i $(SOURCES)

clean:
	rm -rf build dist out
