"""What pages and programs look at: objects, graph, update queue, comparison."""
