.PHONY: screenshots test

screenshots:  ## photograph every page of the sample for README and docs
	python -m tools.screenshots

test:
	python -m pytest
