# SPDX-License-Identifier: BSD-3-Clause
# The front door; all work is in scripts/.

.PHONY: help build check deb demo man site test test-all wheel chaos lint fix tidy clean

help:
	@echo 'make demo   set up what is missing, emulate a Conjugate Gradient resized in two ways, draw both'
	@echo 'make build  set up everything; leaves .venv/bin/nereus ready'
	@echo 'make build WITH_MPI=/opt/mpi/bin/mpicc [NAME=mine]  the same for an MPI that is there; docs/reference/mpis.md'
	@echo 'make test   build, then run all tests against MPICH and Open MPI'
	@echo 'make test-all  what make test runs, the whole matrices and arrays beyond 2^31 bytes; hours'
	@echo 'make check ROOM=transfer  build, lint and test one room of ARCHITECTURE.md, in a minute'
	@echo 'make man    write man pages of the commands and of the C functions, to build/man'
	@echo 'make site   write the documentation with search and the C API, to build/site/html; it needs no network to read'
	@echo 'make wheel  a wheel with library, programs and examples, in dist'
	@echo 'make deb    Debian packages of Nereus, in build/packages/deb; packaging/README.md has other recipes'
	@echo 'make chaos  kill random processes of resizing jobs for an hour; tests/chaos/README.md'
	@echo 'make lint   check format, types, spelling and habits; make fix mends what can be mended'
	@echo 'make tidy   look for likely mistakes in C++ with clang-tidy; takes minutes'
	@echo 'make clean  remove build and .venv'

build:
ifdef WITH_MPI
	@scripts/setup with-mpi '$(WITH_MPI)' $(if $(NAME),--name '$(NAME)')
else
	@scripts/setup all
endif

demo:
	@scripts/setup demo
	@scripts/demo
	@echo 'The demo is over. Building all programs, optimised, for which its picture did not wait'
	@scripts/setup programs

test: build
	@scripts/test

man:
	@scripts/packages all
	@scripts/venv all
	@.venv/bin/python docs/make/make_man.py build/man

wheel:
	@scripts/packages demo
	@scripts/venv all
	@scripts/wheel

deb:
	@scripts/deb

site:
	@scripts/packages all
	@scripts/venv all
	@.venv/bin/python docs/make/make_site.py build/site

check:
	@scripts/check '$(ROOM)'

test-all: build
	@scripts/test --all

chaos: build
	@scripts/chaos

lint:
	@scripts/lint

fix:
	@scripts/lint --fix

tidy: build
	@scripts/tidy

clean:
	rm -rf build .venv
