# Everything is done by deploy/local (Python, standard library only); this file gives it its names.
# ARGS are handed on: make test ARGS="tests/engine -x", make demo ARGS="--bets 500 --seed 7".

PYTHON ?= python3
ARGS ?=

.PHONY: demo test brokers fuzz failover restore-drill backup up start stop status bench bench-full faults lint

demo test brokers fuzz failover restore-drill backup up start stop status bench bench-full faults lint:
	@command -v $(PYTHON) >/dev/null || { echo "Python is needed: install the package python3."; exit 1; }
	@$(PYTHON) -m deploy.local $@ $(ARGS)
