"""Tables as CSV files, for download buttons: the library's own (`memcore.exporting.csv_file`)."""

from memcore.exporting.csv_file import csv_file

__all__ = ["csv_file"]
