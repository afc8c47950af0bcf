"""The look of everything we draw as HTML. One sheet serves light and dark: colours are translucent, or a pair
of which the browser takes the one for the theme Streamlit shows (`color-scheme`), also when that changes."""

from __future__ import annotations

CSS = """<style>
:root {
  --ms-line: color-mix(in srgb, currentColor 14%, transparent);
  --ms-soft: color-mix(in srgb, currentColor 5%, transparent);
  --ms-mute: color-mix(in srgb, currentColor 66%, transparent);
  --ms-mark: rgba(245, 190, 40, .34);
  --ms-add: rgba(46, 160, 67, .20);
  --ms-del: rgba(218, 54, 51, .17);
  --ms-accent: light-dark(#1f6f68, #5fc3b6);
  --ms-on-accent: light-dark(#ffffff, #10211f);
  --ms-good: light-dark(#1a7f37, #3fb950);
  --ms-care: light-dark(#8a6100, #d9a127);
  --ms-bad: light-dark(#cf222e, #f4655c);
}
.block-container, [data-testid="stMainBlockContainer"] { max-width: 76rem; padding-top: 3.2rem; }
h1 { letter-spacing: -.015em; }
.ms-purpose { color: var(--ms-mute); margin: -.6rem 0 .4rem; font-size: 1.02rem; }
.ms-text, .ms-said { white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.55; }
.ms-meta { color: var(--ms-mute); font-size: .84rem; overflow-wrap: anywhere; }
.ms-meta b { font-weight: 600; }
.ms-lead { font-size: 1.12rem; line-height: 1.5; white-space: pre-wrap; overflow-wrap: anywhere; }
.ms-does { margin: -.65rem 0 .5rem; }
.ms-tag { display: inline-block; border: 1px solid var(--ms-line); border-radius: 999px; padding: 0 .55em;
  font-size: .78rem; line-height: 1.55; margin-right: .3em; white-space: nowrap; }
.ms-tag.strong { background: var(--ms-soft); font-weight: 600; }
.ms-tag.warn { border-color: rgba(218, 54, 51, .55); }
mark, .ms-mark { background: var(--ms-mark); color: inherit; border-radius: 3px; padding: .05em .1em;
  box-decoration-break: clone; -webkit-box-decoration-break: clone; }
.ms-said { border-left: 3px solid var(--ms-line); padding: .1rem 0 .1rem .8rem; margin: .2rem 0 .1rem; }
.ms-pair { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); gap: 1.6rem;
  padding: .15rem 0; }
.ms-was { opacity: .62; }
.ms-was .ms-text { text-decoration: line-through; text-decoration-thickness: 1px; }
ins.ms, del.ms { text-decoration: none; border-radius: 3px; padding: .05em .15em; color: inherit;
  box-decoration-break: clone; -webkit-box-decoration-break: clone; }
ins.ms { background: var(--ms-add); } del.ms { background: var(--ms-del); text-decoration: line-through; }
ins.ms::before { content: "+"; font-weight: 700; margin-right: .12em; opacity: .75; }
del.ms::before { content: "\\2212"; font-weight: 700; margin-right: .12em; opacity: .75;
  display: inline-block; }
.ms-fold summary, .ms-long summary { cursor: pointer; list-style: none; }
.ms-fold { display: inline; } .ms-fold summary { display: inline; color: var(--ms-mute);
  border: 1px dashed var(--ms-line); border-radius: 4px; padding: 0 .35em; font-size: .84em; }
.ms-fold[open] summary { display: none; }
.ms-fold summary::-webkit-details-marker, .ms-long summary::-webkit-details-marker { display: none; }
.ms-more { display: inline-block; color: var(--ms-accent); font-size: .84rem; margin-left: .4em;
  text-decoration: underline; }
.ms-long[open] .ms-excerpt, .ms-long[open] .ms-more { display: none; }
.ms-dropped { text-decoration: line-through; text-decoration-thickness: 1px; opacity: .66; }
.ms-meta .ms-dropped { opacity: 1; }
.ms-forced { text-decoration: underline dotted; text-decoration-color: var(--ms-accent);
  text-decoration-thickness: 2px; text-underline-offset: 3px; }
.ms-who { font-weight: 600; }
.ms-turn { display: grid; grid-template-columns: 3.2rem minmax(0, 1fr); padding: .3rem 0; }
.ms-turn .ms-no { color: var(--ms-mute); font-size: .8rem; padding-top: .15rem;
  font-variant-numeric: tabular-nums; }
.ms-turn.lit { background: var(--ms-soft); border-radius: 6px; }
.ms-flow { display: flex; flex-wrap: wrap; gap: .4rem 1.6rem; margin: .1rem 0 .3rem; }
.ms-flow div { min-width: 5.5rem; } .ms-flow b { display: block; font-size: 1.45rem; font-weight: 600;
  line-height: 1.2; font-variant-numeric: tabular-nums; }
.ms-flow span { color: var(--ms-mute); font-size: .84rem; }
.ms-note { border: 1px solid var(--ms-line); border-radius: 8px; padding: .8rem 1rem;
  background: var(--ms-soft); }
.ms-note p { margin: 0 0 .25rem; } .ms-note p:last-child { margin: 0; }
.ms-error { border-left: 4px solid rgba(218, 54, 51, .8); }
.ms-part { border: 1px solid var(--ms-line); border-radius: 8px; padding: .7rem 1rem .8rem;
  margin-bottom: .9rem; }
.ms-part h3 { font-size: 1rem; font-weight: 600; margin: 0 0 .3rem; padding: 0; }
.ms-part table.ms td { padding: .16rem .7rem .16rem 0; }
.ms-part table.ms th { padding: 0 .7rem .1rem 0; }
.ms-part table.ms th.num { white-space: nowrap; }
.ms-step { font-weight: 600; font-size: .88rem; margin: .7rem 0 .1rem; }
.ms-side { margin-top: .6rem; font-size: .8rem; line-height: 1.45; color: var(--ms-mute);
  overflow-wrap: anywhere; }
[data-testid="stMain"] [data-testid="stPageLink-NavLink"] { padding: .15rem 0; background: none !important; }
[data-testid="stMain"] [data-testid="stPageLink-NavLink"]:hover p { text-decoration: underline; }
[data-testid="stMain"] [data-testid="stPageLink-NavLink"] p { color: var(--ms-accent); font-weight: 500; }
[data-testid="stMain"] button[kind="tertiary"] { padding: .15rem 0; min-height: 0; }
[data-testid="stMain"] button[kind="tertiary"] p { color: var(--ms-accent); font-weight: 500; }
[data-testid="stMain"] button[kind="tertiary"]:hover p { text-decoration: underline; }
[data-testid="stMain"] button[kind^="primary"]:not(:disabled),
[data-testid="stMultiSelect"] [data-tag] :is(span, button) { color: var(--ms-on-accent); }
[data-testid="stMultiSelect"] button[aria-label="Clear all"] { min-width: 24px; min-height: 24px; }
.ms-side > div { margin-top: .35rem; }
table.ms { border-collapse: collapse; width: 100%; font-size: .92rem; }
table.ms th { text-align: left; font-weight: 600; color: var(--ms-mute); font-size: .82rem; }
table.ms th, table.ms td { border: 0; border-bottom: 1px solid var(--ms-line); padding: .38rem .7rem .38rem 0;
  vertical-align: top; overflow-wrap: anywhere; }
table.ms tr > th:first-child:not(:last-child) { white-space: nowrap; }
.ms-text a, .ms-meta a, table.ms a { color: var(--ms-accent); }
table.ms td.num, table.ms th.num { text-align: right; font-variant-numeric: tabular-nums; }
.ms-scroll { overflow-x: auto; }
.ms-scroll table.ms { width: auto; min-width: 100%; }
.ms-scroll table.ms th, .ms-scroll table.ms td { padding-right: 1.1rem; overflow-wrap: normal; }
.ms-scroll table.ms th.num { min-width: 4.6rem; }
.ms-scroll table.ms a { text-decoration: underline; text-underline-offset: 2px; }
.ms-ok::before { content: "\\2713  "; color: var(--ms-good); font-weight: 700; }
.ms-warn::before { content: "!  "; color: var(--ms-care); font-weight: 700; }
.ms-fail::before { content: "\\2717  "; color: var(--ms-bad); font-weight: 700; }
pre.ms { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .86rem; line-height: 1.5; margin: 0;
  background: var(--ms-soft); border-radius: 8px; padding: .8rem 1rem; max-height: 32rem; overflow: auto; }
@media (max-width: 700px) { .ms-pair { grid-template-columns: 1fr; gap: .5rem; }
  table.ms-stack tr:first-child { display: none; }
  table.ms-stack tr { display: block; border-bottom: 1px solid var(--ms-line); padding: .45rem 0; }
  table.ms-stack td { display: inline-block; border: 0; padding: 0 .7rem 0 0; }
  table.ms-stack td.ms-text { display: block; } }
</style>"""
