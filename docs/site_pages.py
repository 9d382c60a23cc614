"""What the checks and the site share about pages: their links, their headings, and which of their lines are code."""
import re

LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
PICTURE = re.compile(r'(?<=<img src=")[^"]+')


def slug(heading):
    """The anchor that GitHub gives a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def lines_outside_code(text):
    """The lines that are not between fences; in place of the others, empty ones."""
    in_code = False
    for line in text.splitlines():
        is_fence = line.startswith("```")
        in_code ^= is_fence
        yield "" if in_code or is_fence else line
