"""Language model servers behind the `Llm` protocol: Ollama, and whatever speaks OpenAI's API.

A server sends one request; `conversation` decides what of its answer to believe and when to ask
again. Prompts live in `prompts/`, each with a version. No model is loaded in this process.
"""
