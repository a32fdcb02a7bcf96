# make demo · test · lint · docs · wheel · bench · clean. Needs python3 (3.10 or later) with venv.

PYTHON ?= python3
VENV   ?= .venv
DEMO   := .demo
ARGS   ?=
TREE   ?=

bin  := $(VENV)/bin
pip  := $(bin)/python -m pip --disable-pip-version-check install -qq -c constraints.txt
port := $(DEMO)/gridstat-musa

.PHONY: help demo test lint docs wheel bench clean

help:
	@echo 'make demo   port examples/gridstat into $(DEMO)/ and show the diff and the report'
	@echo 'make test   run the tests (ARGS="-k cli" passes options to pytest)'
	@echo 'make lint   ruff, ruff format, mypy'
	@echo 'make docs   write docs/codes/ and the output that the READMEs show'
	@echo 'make wheel  build the wheel and port with it from another folder'
	@echo 'make bench  time whole runs on a tree of yours: TREE=folder'
	@echo 'make clean  remove $(VENV), $(DEMO) and caches'

# Each stamp is remade when a dependency may have changed; the package itself is a link to here.
$(VENV)/stamp-run: pyproject.toml constraints.txt
	@echo '== installing sigtrans into $(VENV)'
	@test -x $(bin)/python || $(PYTHON) -m venv $(VENV)
	@$(pip) hatchling editables
	@$(pip) --no-build-isolation -e .
	@touch $@

$(VENV)/stamp-dev: $(VENV)/stamp-run
	@echo '== installing the tools for tests and style into $(VENV)'
	@$(pip) --no-build-isolation -e '.[dev]'
	@touch $@

# Exit code 1 says that something needs attention, which is the point of the example.
demo: $(VENV)/stamp-run
	@rm -rf $(DEMO) && mkdir $(DEMO)
	@echo '== sigtrans port examples/gridstat -o $(port)'
	@$(bin)/sigtrans port examples/gridstat -o $(port) --report $(DEMO)/report.html \
	    --report $(DEMO)/report.json --report $(DEMO)/report.sarif || test $$? -eq 1
	@echo
	@echo '== sigtrans diff $(port) CMakeLists.txt src/sum.cu'
	@$(bin)/sigtrans diff $(port) CMakeLists.txt src/sum.cu
	@echo
	@echo 'The port:     $(port)/'
	@echo 'The reports:  $(DEMO)/report.html  $(DEMO)/report.json  $(DEMO)/report.sarif'
	@echo 'All diffs:    $(bin)/sigtrans diff $(port)'

test: $(VENV)/stamp-dev
	@$(bin)/python -m pytest $(ARGS)

lint: $(VENV)/stamp-dev
	@$(bin)/ruff check .
	@$(bin)/ruff format --check .
	@$(bin)/mypy

docs: $(VENV)/stamp-run
	@$(bin)/python tools/make_docs.py $(ARGS)
	@$(bin)/python tools/make_differences.py $(ARGS)
	@$(bin)/python tools/make_readme.py $(ARGS)

# The wheel carries rules and templates; only a run far from this folder shows that it does.
wheel: $(VENV)/stamp-run
	@rm -rf build/wheel && mkdir -p build/wheel
	@$(bin)/python -m pip --disable-pip-version-check wheel -qq --no-deps \
	    --no-build-isolation -w build/wheel .
	@$(bin)/python -m pip --disable-pip-version-check install -qq --no-deps \
	    --target build/wheel/site build/wheel/*.whl
	@cp -R examples/gridstat build/wheel/gridstat
	@cd build/wheel && PYTHONPATH=site ../../$(bin)/python -m sigtrans port gridstat -q \
	    --report report.html || test $$? -eq 1
	@rm -rf build/wheel/here
	@$(bin)/sigtrans port build/wheel/gridstat -o build/wheel/here -q || test $$? -eq 1
	@diff -r -x .sigtrans build/wheel/here build/wheel/gridstat-musa
	@grep -q MUSA::mublas build/wheel/gridstat-musa/CMakeLists.txt
	@test -s build/wheel/report.html
	@cd build/wheel && echo "works: $$(ls *.whl)"

bench: $(VENV)/stamp-dev
	@test -d '$(TREE)' || { echo 'make bench TREE=folder: name a CUDA source tree'; exit 2; }
	@$(bin)/python benchmarks/port.py '$(TREE)' $(ARGS)

clean:
	rm -rf $(VENV) $(DEMO) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
