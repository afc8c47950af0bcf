.PHONY: screenshots test

screenshots:  ## photograph every page of the sample for README and docs
	python tools/screenshots.py

test:
	python -m pytest
