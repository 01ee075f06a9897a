# Lambent's commands.  `make run` and `make test` do all of their own set-up in .venv, on any machine
# with Python 3.11, gcc and g++; the second time the set-up takes no time.
#
#   make TORCH_INDEX=URL run
#
# takes torch from that index too, such as the one for CPUs that PyTorch's install page names: the
# usual torch carries CUDA on Linux, which is gigabytes.

PYTHON ?= $(or $(shell for p in python3.11 python3.12 python3.13 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; \
	done),python3)
TORCH_INDEX ?=

BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check -c constraints.txt \
	$(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX))
# The tests of a file share what is made once for it, so files are handed out whole, in their order.
PYTEST := $(BIN)/pytest -q --numprocesses auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder
SAY := @echo "==>"

# Modules that were compiled are kept: the tests start Python many times.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run test test-all check dev bench golden docs tools ctorch library lint wheel

help:
	@echo "make run     train the digits network as a script and as an executable, and compare"
	@echo "make test    the whole test suite (12 to 25 minutes on 2 cores)"
	@echo "make test-all the same, with all random programs and all programs optimized (for the night)"
	@echo "make check   the quick gate: ruff, mypy, the fast tests, C warnings"
	@echo "make bench   speed and memory beside Python, C, C++ and other Schemes"
	@echo "make golden  rewrite expected outputs and generated documents; read the diff"
	@echo "make library compile the library for lambent compile, which otherwise does so when it is needed"
	@echo "make wheel   a wheel with ctorch compiled for the installed torch, and one without"
	@echo "make dev     set up for working on Lambent itself (linters, links for mypy)"

# What people run.

run: ctorch
	@examples/run-digits.sh $(BIN)/lambent

test: dev ctorch lint library
	$(SAY) "Running the tests"
	@$(PYTEST)

test-all: dev ctorch lint library
	$(SAY) "Running the tests, with everything that make test takes a part of"
	@$(PYTEST) --all-random --all-optimized

check: dev ctorch lint
	$(SAY) "Running the tests that are not slow"
	@$(PYTEST) -m "not slow"

bench: dev ctorch library
	@$(BIN)/python -m tests.bench

golden: dev ctorch docs
	-@$(BIN)/pytest -q --update-golden tests/errors tests/golden
	@git status --short tests docs

docs: dev
	$(SAY) "Writing docs/reference.md, docs/r7rs.md, docs/from-pytorch.md and docs/operators"
	@$(BIN)/python -m lambent.lang.reference.pages > docs/reference.md
	@$(BIN)/python -m tests.support.conformance > docs/r7rs.md
	@$(BIN)/python -m tests.support.from_pytorch > docs/from-pytorch.md
	@$(BIN)/python -m lambent.lang.reference.operator_docs docs/operators

lint: dev
	$(SAY) "Checking style and types"
	@$(BIN)/ruff check --quiet lang ctorch runtime stdlib tests
	@$(BIN)/mypy

# Set-up, each step once: a stamp says that it is done.

dev: .venv/.stamp-dev build/types/lambent/__init__.py

tools:
	@.ci/check-tools $(PYTHON)

$(BIN)/python: | tools
	$(SAY) "Making the virtual environment .venv with $(PYTHON)"
	@$(PYTHON) -m venv .venv

.venv/.stamp-run: pyproject.toml constraints.txt lang/command.sh | $(BIN)/python
	$(SAY) "Installing Lambent's packages into .venv (torch is large; this can take minutes)"
	@$(PIP) setuptools lark cffi torch
	@$(PIP) --no-build-isolation --no-deps --editable .
	@if env --block-signal=INT true 2>/dev/null; then \
		rm -f $(BIN)/lambent && cp lang/command.sh $(BIN)/lambent; fi
	@touch $@

.venv/.stamp-dev: .venv/.stamp-run pyproject.toml constraints.txt
	$(SAY) "Installing the packages that the tests and linters need"
	@$(PIP) $$($(BIN)/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']['dev'])")
	@touch $@

ctorch: .venv/.stamp-run | tools
	$(SAY) "Building ctorch, the C face of LibTorch (a minute or two the first time, then cached)"
	@$(BIN)/python -c "from lambent.ctorch import build; print(f'ctorch: {build.built()}')"
	@$(BIN)/lambent -e '(if #f #f)'  # analyses the library, so that no user's first start does

library: ctorch
	$(SAY) "Compiling the library (minutes after each change of the compiler, else kept)"
	@$(BIN)/python -m lambent.lang.compile_library
	@$(BIN)/python -m lambent.lang.evaluator.build

# setuptools packs old files of build/ as well, so the source distribution is unpacked elsewhere.
wheel: ctorch
	$(SAY) "Making wheels in dist/"
	@$(BIN)/python -c "import setuptools.build_meta as b; b.build_sdist('dist')" >/dev/null
	@$(BIN)/python -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir dist dist/*.tar.gz
	@$(BIN)/python -m lambent.lang.bundle.wheel dist/*-py3-none-any.whl dist

# mypy and editors cannot follow an editable install; these ignored links show them the packages.
build/types/lambent/__init__.py:
	@mkdir -p build/types/lambent
	@for part in lang runtime ctorch stdlib; do \
		ln -sfn ../../../$$part build/types/lambent/$$part; done
	@ln -sfn ../../../lang/package/__init__.py $@
