"""What is wrong with a picture: text or marks outside of it, labels over each other. The width of a text is estimated."""
import itertools
import math
import re
import xml.etree.ElementTree

HEIGHT, WIDTH, TITLE_WIDTH = 9, 6.4, 9.2  # of a character, in pixels


def corners(element):
    """Of the box around a text: in its own directions, the angle of these, and on the paper."""
    x, y, angle = float(element.get("x", 0)), float(element.get("y", 0)), 0.0
    transform = re.fullmatch(r"translate\(([-\d.]+) ([-\d.]+)\) rotate\(([-\d.]+)\)", element.get("transform", ""))
    if transform:
        x, y, angle = map(float, transform.groups())
    kinds = element.get("class", "").split()
    width = len(element.text) * (TITLE_WIDTH if "title" in kinds else WIDTH)
    start = -width if "left" in kinds else -width / 2 if "middle" in kinds else 0
    sine, cosine = math.sin(math.radians(angle)), math.cos(math.radians(angle))
    along, across = x * cosine + y * sine, y * cosine - x * sine
    box = (along + start, across - HEIGHT, along + start + width, across)
    paper = [(u * cosine - v * sine, u * sine + v * cosine) for u in (box[0], box[2]) for v in (box[1], box[3])]
    return box, angle, paper


def defects(text):
    root = xml.etree.ElementTree.fromstring(text)
    _, _, width, height = map(float, root.get("viewBox").split())
    found, boxes = [], []
    for element in root.iter():
        kind = element.tag.split("}")[1]
        if kind == "text":
            box, angle, points = corners(element)
            boxes.append((box, angle, element.text))
        elif kind == "circle":
            points = [(float(element.get("cx")), float(element.get("cy")))]
        elif kind == "rect":
            x, y = float(element.get("x", 0)), float(element.get("y", 0))
            points = [(x, y), (x + float(element.get("width")), y + float(element.get("height")))]
        else:
            continue
        if any(not (0 <= x <= width and 0 <= y <= height) for x, y in points):
            found.append(f"{kind} {element.text or ''} is outside")
    for (a, angle, one), (b, other_angle, other) in itertools.combinations(boxes, 2):
        if angle == other_angle and a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]:
            found.append(f"'{one}' and '{other}' are over each other")
    if not boxes:
        found.append("no text")
    return found
