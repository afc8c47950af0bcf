"""Stages: compress, segment, buffer, extract, link, answer. Typed input to (result, trace)."""
