"""Memscope's home: what is stored, what changed lately, what waits, what looks wrong.

`streamlit run app.py` imports this once, as its server, and runs it as a script for every visit.
"""

from __future__ import annotations

if __name__ != "__main__":
    from starlette.middleware import Middleware
    from streamlit.starlette import App

    from ui.shell import server

    app = App(__file__, lifespan=server.lifespan, middleware=[Middleware(server.WhenLoaded)])
else:
    from ui.overview import overview
    from ui.shell import opened
    from ui.shell.frame import meta, page

    PURPOSE = (
        "See what an assistant remembers of its conversations, and correct it. "
        "Every memory shows the exact words it came from, and nothing changes without your approval."
    )

    with page("Home", PURPOSE) as memory:
        owner = opened.owner(memory)
        if memory.evidence.stats(owner)["messages"]:
            overview.draw_all(memory, owner)
        else:
            overview.how_to_begin(memory)
        meta(str(memory.settings.store_dir.resolve()))
