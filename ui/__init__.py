"""Streamlit-only helpers of the workbench: the page frame, drawing, jobs. Nothing here computes."""
