.PHONY: screenshots test bench

screenshots:  ## photograph every page of the sample for README and docs
	python -m tools.screenshots

test:
	python -m pytest

bench:  ## what costs time, each beside a plain reference in the same run; writes docs/bench.md
	OMP_NUM_THREADS=$${OMP_NUM_THREADS:-2} python -m benchmarks.table docs/bench.md
