"""Charts as SVG, with the standard library alone. Readable at 700 pixels, on light and on dark pages."""
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 760, 440
LEFT, RIGHT, TOP, BOTTOM = 76, 20, 84, 62
COLOURS = {"ours": "#2f81f7", "reference": "#e0792b", "limit": "#8a929b", "green": "#2ea25f", "purple": "#a06ae0",
           "red": "#d8504f"}
STYLE = """<style>
text { font: 13px system-ui, sans-serif; fill: #24292f }
.title { font-size: 16px; font-weight: 600 }
.note { fill: #57606a; font-size: 12px }
.paper { fill: #ffffff }
.grid { stroke: #e3e6ea; fill: none }
.axis { stroke: #6e7781; fill: none }
polyline { fill: none; stroke-width: 2.2; stroke-linejoin: round }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.note { fill: #9ea7b1 }
.paper { fill: #0d1117 }
.grid { stroke: #2b323b }
}
</style>"""
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Line:
    """One curve: (x, y) points; a dashed one is a limit or a reference."""

    def __init__(self, name, points, colour, dashed=False, marks=True):
        self.name, self.points, self.dashed, self.marks = name, sorted(points), dashed, marks
        self.colour = COLOURS.get(colour, colour)


def power_of_two(n):
    """2²⁰ for 2^20."""
    return "2" + str(round(math.log2(n))).translate(SUPERSCRIPTS)


def number(value):
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:g}"


def text(x, y, words, style="", anchor="start", more=""):
    kind = f' class="{style}"' if style else ""
    return f'<text{kind} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(words)}</text>'


def frame(title, note, height=HEIGHT):
    return [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}">',
            f"<title>{escape(title)}</title>", STYLE,
            f'<rect class="paper" width="{WIDTH}" height="{height}" rx="6"/>',
            text(LEFT - 52, 28, title, "title"), text(LEFT - 52, height - 10, note, "note")]


def linear_ticks(low, high, count=6):
    raw = (high - low) / count
    power = 10 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [i * step for i in range(first, last + 1)]


def log_ticks(low, high):
    """1, 2, 5 times the powers of ten; the powers alone over more than three decades."""
    factors = (1, 2, 5) if math.log10(high / low) <= 2.2 else (1,)
    ticks = [factor * 10.0 ** power for power in range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
             for factor in factors]
    below = max((tick for tick in ticks if tick <= low * 1.001), default=low)
    above = min((tick for tick in ticks if tick >= high * 0.999), default=high)
    return [tick for tick in ticks if below <= tick <= above]


def legend(lines):
    """In rows under the title."""
    parts, x, y = [], LEFT - 52, 52
    for line in lines:
        width = 40 + 7.0 * len(line.name)
        if x + width > WIDTH - RIGHT and x > LEFT:
            x, y = LEFT - 52, y + 19
        dash = ' stroke-dasharray="5 4"' if line.dashed else ""
        parts.append(f'<path d="M{x:.1f} {y - 4:.1f}h22" stroke="{line.colour}" stroke-width="2.6"{dash}/>')
        parts.append(text(x + 28, y, line.name))
        x += width
    return parts, y


def line_chart(title, x_name, y_name, lines, note="", log_y=False, y_low=0.0, level=None):
    """Curves over powers of two. `level` is marked across, as the place where nothing is gained or lost."""
    lines = [line for line in lines if line.points]
    values = [y for line in lines for _, y in line.points] + ([level] if level is not None else [])
    across = [x for line in lines for x, _ in line.points]
    parts = frame(title, note)
    if not across:
        return "\n".join([*parts, text(WIDTH / 2, HEIGHT / 2, "not measured", anchor="middle"), "</svg>", ""])
    marks, lowest = legend(lines)
    parts += marks
    top, bottom = max(TOP, lowest + 22), HEIGHT - BOTTOM - 14
    y_ticks = log_ticks(min(values), max(values)) if log_y else linear_ticks(min(y_low, *values), max(values) or 1)
    x_low, x_high = math.log2(min(across)), max(math.log2(max(across)), math.log2(min(across)) + 1)

    def place_x(x):
        return LEFT + (WIDTH - LEFT - RIGHT) * (math.log2(x) - x_low) / (x_high - x_low)

    def share(y):
        if log_y:
            return math.log(y / y_ticks[0]) / math.log(y_ticks[-1] / y_ticks[0])
        return (y - y_ticks[0]) / (y_ticks[-1] - y_ticks[0])

    def place_y(y):
        return bottom - (bottom - top) * share(y)

    for tick in y_ticks:
        parts.append(f'<path class="grid" d="M{LEFT} {place_y(tick):.1f}H{WIDTH - RIGHT}"/>')
        parts.append(text(LEFT - 8, place_y(tick) + 4.5, number(tick), anchor="end"))
    step = max(1, math.ceil((x_high - x_low) / 11))
    for exponent in range(math.ceil(x_low - 1e-9), math.floor(x_high + 1e-9) + 1, step):
        x = place_x(2.0 ** exponent)
        parts.append(f'<path class="axis" d="M{x:.1f} {bottom:.1f}v5"/>')
        parts.append(text(x, bottom + 20, power_of_two(2 ** exponent), anchor="middle"))
    parts.append(f'<path class="axis" d="M{LEFT} {top:.1f}V{bottom:.1f}H{WIDTH - RIGHT}"/>')
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, bottom + 41, x_name, anchor="middle"))
    parts.append(f'<g transform="translate(20 {(top + bottom) / 2:.1f}) rotate(-90)">{text(0, 0, y_name, anchor="middle")}</g>')
    if level is not None:
        parts.append(f'<path class="axis" stroke-dasharray="2 3" d="M{LEFT} {place_y(level):.1f}H{WIDTH - RIGHT}"/>')
    for line in lines:
        dash = ' stroke-dasharray="5 4"' if line.dashed else ""
        points = " ".join(f"{place_x(x):.1f},{place_y(y):.1f}" for x, y in line.points)
        parts.append(f'<polyline points="{points}" stroke="{line.colour}"{dash}/>')
        if line.marks:
            parts += [f'<circle cx="{place_x(x):.1f}" cy="{place_y(y):.1f}" r="2.8" fill="{line.colour}"/>'
                      for x, y in line.points]
    return "\n".join([*parts, "</svg>", ""])


def bar_chart(title, x_name, bars, note="", marks=()):
    """Lying bars of (name, value, colour); `marks` are (index of a bar, value, word): thresholds drawn across one bar."""
    left, step, top = 236, 27, 56
    height = top + step * len(bars) + 78
    parts = frame(title, note, height)
    ticks = linear_ticks(0, max((value for _, value, _ in bars), default=1) or 1)
    bottom = top + step * len(bars)

    def place(value):
        return left + (WIDTH - left - 64) * value / ticks[-1]

    for tick in ticks:
        parts.append(f'<path class="grid" d="M{place(tick):.1f} {top}V{bottom}"/>')
        parts.append(text(place(tick), bottom + 18, number(tick), anchor="middle"))
    parts.append(text((left + WIDTH - 64) / 2, bottom + 39, x_name, anchor="middle"))
    for i, (name, value, colour) in enumerate(bars):
        y = top + step * i + 4
        parts.append(f'<rect x="{left}" y="{y}" width="{place(value) - left:.1f}" height="{step - 8}" rx="2" '
                     f'fill="{COLOURS.get(colour, colour)}"/>')
        parts.append(text(left - 8, y + 14, name, anchor="end"))
        parts.append(text(place(value) + 6, y + 14, f"{value:.3g}"))
    for i, value, word in marks:
        y = top + step * i
        parts.append(f'<path class="axis" stroke-width="2" d="M{place(value):.1f} {y + 1}v{step - 2}"/>')
    parts.append(f'<path class="axis" d="M{left} {top}V{bottom}"/>')
    return "\n".join([*parts, "</svg>", ""])
