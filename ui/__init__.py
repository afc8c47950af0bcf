"""Streamlit-only helpers of the workbench: the page frame, drawing, jobs. Nothing here computes."""

import gc

# What is imported for the first page, and what a page holds, is no garbage; Streamlit looks through all of it
# after every run as it is.
gc.set_threshold(20_000, 20, 20)
