"""Finding memories: plan, views, fusion, context assembly."""
