"""The style sheet of the HTML report: light, dark after the system, and paper."""

from __future__ import annotations

from desktop.foundation.colours import DARK, LIGHT, Tokens

_RULES = """
*, *::before, *::after { box-sizing: border-box; }
html { color-scheme: light dark; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--window); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif;
  font-variant-numeric: tabular-nums; }
main { max-width: 1160px; margin: 0 auto; padding: 28px 20px 48px; }
h1 { font-size: 20px; line-height: 1.3; margin: 0; font-weight: 600; }
h2 { font-size: 17px; line-height: 1.3; margin: 0 0 4px; font-weight: 600; }
h3 { font-size: 15px; line-height: 1.4; margin: 0; font-weight: 600; }
p { margin: 0 0 8px; }
a { color: var(--accent); }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius:
3px; } .skip { position: absolute; left: -999px; }
.skip:focus { left: 20px; top: 8px; background: var(--panel); padding: 4px 8px; }
.small, .sub, figcaption { font-size: 13px; color: var(--muted); }
.head { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 12px; margin-bottom: 16px; }
.contents { display: flex; flex-wrap: wrap; gap: 2px 18px; margin: -10px 0 14px; font-size: 13px; }
.panel { background: var(--panel); border: 1px solid var(--border); border-radius: 4px; padding: 16px;
  margin-bottom: 12px; }
.panel > .sub { margin-bottom: 12px; }
.answer { border-left: 4px solid var(--tone); padding: 20px 24px; }
.answer .headline { font-size: 22px; line-height: 1.3; font-weight: 600; margin: 0 0 6px; }
.answer ul { margin: 8px 0 0; padding: 0; list-style: none; }
.accent { --tone: var(--accent); } .good { --tone: var(--good); } .warn { --tone: var(--warn); }
.bad { --tone: var(--bad); }
.label { border-left: 4px solid var(--warn); background: var(--warn-soft); border-color: var(--warn); }
.two { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 12px; margin-bottom: 12px; }
.two > .panel { margin: 0; }
figure { margin: 0; }
svg { display: block; max-width: 100%; height: auto; overflow: visible; }
svg text { font-family: inherit; fill: var(--text); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: middle; padding: 7px 14px 7px 0;
  border-bottom: 1px solid var(--border); }
th:last-child, td:last-child { padding-right: 0; }
thead th { white-space: nowrap; font-size: 13px; font-weight: 600; color: var(--muted);
  vertical-align: bottom; }
tbody th { font-weight: 600; }
tbody tr:last-child > * { border-bottom: 0; }
.num { text-align: right; white-space: nowrap; }
.quiet { color: var(--muted); font-weight: 400; }
.chosen th { color: var(--accent); }
.chosen th::before { content: "\\25A0\\00A0"; }
.chip { display: inline-block; width: 18px; height: 18px; vertical-align: -4px; margin-right: 7px; flex: none; }
.bars text { font-size: 11px; font-weight: 600; text-anchor: middle; }
.bars .who { font-size: 13px; font-weight: 400; text-anchor: start; }
h2 + figure { margin-top: 12px; }
h2 + dl, h2 + pre, h2 + .list, h2 + .scroll { margin-top: 10px; }
.bars { width: 100%; max-width: 680px; }
td.small { white-space: nowrap; }
td svg { min-width: 150px; } td svg.chip { min-width: 0; }
.num .small { display: block; line-height: 1.3; }
.who-not { display: block; font-weight: 400; }
.key { margin: 10px 0 0; padding-left: 26px; font-size: 13px; columns: 2; column-gap: 28px; }
.key li { break-inside: avoid; overflow-wrap: anywhere; }
.key .quiet { white-space: nowrap; }
.key .picked { color: var(--accent); font-weight: 600; }
.legend { display: flex; flex-wrap: wrap; gap: 6px 16px; margin: 12px 0 0; padding: 0; list-style: none;
  font-size: 13px; color: var(--muted); }
.hint { border-top: 1px solid var(--border); margin: 12px 0 0; padding-top: 10px; font-size: 14px; }
.hint strong { color: var(--warn); }
.example { border-top: 1px solid var(--border); padding: 16px 0 4px; break-inside: avoid-page; }
.example:first-of-type { border-top: 0; }
.given { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 16px; margin: 8px 0 12px; }
.caption { font-size: 13px; color: var(--muted); margin: 0 0 4px; }
pre, .out { font: 13px/1.5 ui-monospace, "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace; }
pre { margin: 0; padding: 8px 10px; background: var(--alt); border: 1px solid var(--border); border-radius: 4px;
  white-space: pre-wrap; overflow-wrap: anywhere; }
.out { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
pre { unicode-bidi: plaintext; }
.answers td, .answers th { vertical-align: top; }
.answers { table-layout: fixed; }
.answers th { overflow-wrap: anywhere; }
.answers .c1 { width: 22%; } .answers .c2 { width: 30%; }
.answers.alone .c2 { width: 36%; }
.answers thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.also { font-size: 14px; margin: 8px 0; }
.also span { margin-right: 16px; }
.panel h3 { margin-top: 14px; }
.example h3 { margin-top: 0; }
.answers .why { display: block; white-space: normal; }
.fields { width: auto; margin: 2px 0 0; }
.fields th, .fields td { padding: 2px 14px 2px 0; border: 0; vertical-align: baseline; font-size: 13px; width:
auto; } .fields th { color: var(--muted); font-weight: 400; }
del { color: var(--bad); background: var(--bad-soft); border-radius: 2px; text-decoration: line-through; }
ins { color: var(--good); background: var(--good-soft); border-radius: 2px; text-decoration: underline; }
.near { color: var(--text); background: var(--warn-soft); border-bottom: 2px solid var(--warn); border-radius:
2px 2px 0 0; } .mark { display: inline-block; font: 600 11px/1.3 system-ui, sans-serif; color: var(--muted);
border: 1px solid var(--control); border-radius: 3px; padding: 0 3px; margin: 0 1px; vertical-align: 1px;
white-space: nowrap; } details { margin-top: 6px; }
summary { cursor: pointer; color: var(--accent); font-size: 13px; }
details pre { margin-top: 6px; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 4px 20px; margin: 0; }
dt { color: var(--muted); } dd { margin: 0; overflow-wrap: anywhere; }
.list { margin: 0; padding-left: 18px; } .list li { margin: 0 0 4px; }
.foot { color: var(--muted); font-size: 13px; display: flex; flex-wrap: wrap; gap: 4px 24px; margin-top: 20px; }
.axis { stroke: var(--control); } .grid { stroke: var(--border); } .ink { stroke: var(--text); }
.soft { stroke: var(--muted); } .pick { stroke: var(--accent); } .fill-pick { fill: var(--accent); }
.fill-soft { fill: var(--control); }
.multiples { display: grid; grid-template-columns: repeat(auto-fit, minmax(300px, 1fr)); gap: 12px 28px;
  margin: 12px 0 8px; }
.multiples figcaption { font-weight: 600; margin-bottom: 4px; } .multiples figure { break-inside: avoid; }
.paper { stroke: var(--panel); }
.fill-panel { fill: var(--panel); } .fill-ink { fill: var(--text); } .fill-track { fill: var(--track); }
svg .t-muted { fill: var(--muted); } svg .t-pick { fill: var(--accent); font-weight: 600; }
svg .halo { paint-order: stroke; stroke: var(--panel); stroke-width: 3px; stroke-linejoin: round; }
@media screen and (max-width: 860px) { .two, .given { grid-template-columns: minmax(0, 1fr); } }
"""

_PRINT = """
@page { margin: 14mm; }
body { background: var(--panel); font-size: 10pt; }
main { max-width: none; padding: 0; }
.panel { padding: 10px 12px; }
.answer .headline { font-size: 15pt; }
.two { grid-template-columns: minmax(0, 1fr); }
.two figure svg:not(.bars) { max-width: 440px; }
.two > .panel, .answer, tr, figure { break-inside: avoid; }
h2, h3, thead { break-after: avoid; }
.skip, .contents { display: none; }
.scroll { overflow: visible; }
del, ins, .near, .label, .answer, pre { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
"""


_NAMES = (
    "window",
    "panel",
    "alt",
    "border",
    "control",
    "text",
    "muted",
    "accent",
    "accent_soft",
    "track",
    "good",
    "good_soft",
    "warn",
    "warn_soft",
    "bad",
    "bad_soft",
)


def _variables(tokens: Tokens) -> str:
    pairs = [f"--{name.replace('_', '-')}:{getattr(tokens, name)}" for name in _NAMES]
    pairs.extend(f"--c{look.letter}:{look.fill};--i{look.letter}:{look.ink}" for look in tokens.causes.values())
    return ":root{" + ";".join(pairs) + "}"


def style_sheet() -> str:
    """The whole sheet. On paper the light colours hold whatever the screen shows."""
    letters = "".join(
        f".c{look.letter}{{fill:var(--c{look.letter})}}svg .i{look.letter}{{fill:var(--i{look.letter})}}"
        for look in LIGHT.causes.values()
    )
    return (
        f"{_variables(LIGHT)}\n@media screen and (prefers-color-scheme: dark) {{ {_variables(DARK)} }}\n"
        f"{_RULES.strip()}\n{letters}\n@media print {{ {_PRINT.strip()} }}\n"
    )
