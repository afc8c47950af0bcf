"""The frame every page stands in: navigation, links, URL parameters, jobs, style."""
