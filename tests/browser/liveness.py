"""What is live on a page that ought to be text: links that lead away, pictures, icons, colours, scripts."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

_LIVE = """hosts => {
  const said = e => e.outerHTML.slice(0, 200);
  const away = e => !URL.canParse(e.href) || !hosts.includes(new URL(e.href).host);
  const markdown = ":is([data-testid=stMarkdownContainer], [data-testid=stCaptionContainer], [role=tooltip])";
  const made = ["a[href]", "img", "code", "pre", "em", "del", "li", "blockquote", "hr", "table", "svg",
    "input", ".katex", "[role=img]", "[class*=stMarkdown]", "streamlit-help-icon"];
  const loads = "[src*='evil' i], [srcset*='evil' i], [style*='evil' i], [src=x], [onerror]";
  return [
    ...[...document.querySelectorAll("a[href]")].filter(away).map(said),
    ...[...document.querySelectorAll(loads)].map(said),
    ...[...document.querySelectorAll(made.map(one => `${markdown} ${one}`).join(", "))].map(said),
    ...(window.pwned ? ["a script ran"] : []),
  ];
}"""


def watch(page: Page) -> list[str]:
    """Requests to another host, dialogs and errors, as they come."""
    found: list[str] = []

    def asked(url: str) -> None:
        if not url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:", "about:")):
            found.append(f"asked {url}")

    page.on("request", lambda request: asked(request.url))
    page.on("websocket", lambda socket: asked(socket.url))
    page.on("dialog", lambda dialog: (found.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.on("pageerror", lambda error: found.append(f"error {error}"))
    return found


def live(page: Page) -> list[str]:
    """Everything on screen, in frames too, that text has become and must not."""
    hosts = [page.evaluate("location.host")]
    return [one for frame in page.frames for one in found_in(frame, hosts)]


def found_in(frame: Any, hosts: list[str]) -> list[str]:
    """The same in one frame."""
    found: list[str] = frame.evaluate(_LIVE, hosts)
    return found
