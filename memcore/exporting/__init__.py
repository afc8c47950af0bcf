"""What is stored, written for other programs and for people: `formats.FORMATS` names the formats."""

from memcore.exporting.formats import FORMATS, Format, export, exported

__all__ = ["FORMATS", "Format", "export", "exported"]
