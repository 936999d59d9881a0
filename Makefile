# Each target sets up what it needs: a virtual environment in .venv, then the packages.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
ARGS ?=

.PHONY: help train test test-cupy lint dev recipes bench clean

help:
	@echo "make train      train LeNet on handwritten digits: 2 processes, mixed precision"
	@echo "make test       the test suite"
	@echo "make test-cupy  the ops on real CuPy, emulated on the CPU (needs g++)"
	@echo "make lint       ruff and pyright"
	@echo "make dev        an environment with everything for development"
	@echo "make recipes    every recipe in full (about 20 minutes)"
	@echo "make bench      the benchmarks (PEERS=python with paddlepaddle and torch for ratios)"

train: $(VENV)/.installed-mpi
	$(BIN)/python -m paddlite.launch --nproc 2 lenet_digits $(ARGS)

test: $(VENV)/.installed-mpi,test
	$(BIN)/python -m pytest -n auto $(ARGS)

test-cupy: $(VENV)/.installed-mpi,test
	@command -v g++ >/dev/null || { echo "make test-cupy: g++ is missing; on Debian and Ubuntu: apt install g++"; exit 1; }
	$(BIN)/python -c "import cupy" 2>/dev/null || $(BIN)/pip install -q 'cupy-cuda13x==14.2.*'
	$(BIN)/python -m pytest tests/cupy --cupy -n auto $(ARGS)

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python

dev: $(VENV)/.installed-dev

recipes: $(VENV)/.installed-mpi
	$(BIN)/python -m paddlite.recipe.run_all $(ARGS)

bench: $(VENV)/.installed-mpi
	$(BIN)/python -m benchmarks.all $(ARGS)

$(VENV)/bin/python:
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 10))" || \
	  { echo "paddlite needs Python 3.10 or newer; set PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { rm -rf $(VENV); echo "cannot make a virtual environment; on Debian and Ubuntu: apt install python3-venv"; exit 1; }

$(VENV)/.installed-%: $(VENV)/bin/python pyproject.toml setup.cfg
	$(BIN)/pip install -q --disable-pip-version-check -e '.[$*]'
	@touch $@

clean:
	rm -rf $(VENV) build *.egg-info
