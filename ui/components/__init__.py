"""What several pages draw: evidence, diff, timeline, charts, networks, downloads."""
