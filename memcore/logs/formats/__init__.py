"""One reader a log format, each with `matches` and `read`."""
