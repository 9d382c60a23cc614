#!/usr/bin/env python3
"""Checks a site that docs/site.py made: every local link leads to a page and an anchor; and in a browser, at the width of a desktop and of a
phone, no page scrolls sideways, and the menu folds.

usage: site_check.py HTML_FOLDER [BROWSER]     without BROWSER (chromium) links alone
"""
import html.parser
import json
import pathlib
import subprocess
import sys
import urllib.parse

WIDTHS = {"phone": 390, "desktop": 1280}
# Reads one page after the other in a frame of each width. The text of <pre> is the result.
PROBE = """<!DOCTYPE html><body><iframe id="frame" style="height:800px;border:0"></iframe><pre id="out"></pre><script>
const pages = %s, widths = %s, faults = [];
const frame = document.getElementById('frame');
async function load(page) {
    await new Promise(done => { frame.onload = done; frame.src = page; });
    const root = frame.contentDocument, seen = root.documentElement, menu = root.querySelector('.sidebar-drawer');
    for (const [name, width] of Object.entries(widths)) {
        frame.style.width = width + 'px';
        if (seen.scrollWidth > width) {
            const wide = [...root.querySelectorAll('article *')].filter(e => e.getBoundingClientRect().right > width + 1)[0];
            faults.push(`${page}: ${seen.scrollWidth} px wide on a ${name} of ${width}: ${wide ? wide.outerHTML.slice(0, 120) : ''}`);
        }
        const box = menu && menu.getBoundingClientRect();
        if (box && (name == 'phone') != (box.right <= 1)) faults.push(`${page}: the menu is at ${box.left} to ${box.right} on a ${name}`);
        if (!menu) faults.push(`${page}: no menu`);
    }
}
(async () => {
    for (const page of pages) await load(page);
    document.getElementById('out').textContent = JSON.stringify({pages: pages.length, faults: faults});
})();
</script>"""


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], {""}
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors.add(values.get("id"))
        self.links += [values[name] for name in ("href", "src") if values.get(name)]


def broken_links(folder):
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    faults = []
    for path, page in pages.items():
        for link in dict.fromkeys(page.links):
            address = urllib.parse.urlsplit(link)
            if address.scheme or address.netloc:
                continue
            target = (path.parent / urllib.parse.unquote(address.path)).resolve() if address.path else path
            if not target.exists():
                faults.append(f"{path.relative_to(folder)}: {link} does not exist")
            elif target in pages and urllib.parse.unquote(address.fragment) not in pages[target].anchors:
                faults.append(f"{path.relative_to(folder)}: {link} has no such anchor")
    return faults, len(pages)


def faults_in_browser(folder, browser):
    pages = [str(path.relative_to(folder)) for path in sorted(folder.rglob("*.html")) if path.name not in ("index.html", "probe.html")
             or path.parent != folder]
    probe = folder / "probe.html"
    probe.write_text(PROBE % (json.dumps(pages), json.dumps(WIDTHS)))
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--virtual-time-budget=600000",
               "--window-size=1400,1000", "--dump-dom", probe.as_uri()]
    text = subprocess.run(command, capture_output=True, text=True, timeout=280).stdout
    probe.unlink()
    result = text.partition('<pre id="out">')[2].partition("</pre>")[0]
    if not result:
        return ["the browser gave no result"], 0
    seen = json.loads(result.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    return seen["faults"], seen["pages"]


def main(folder, browser=None):
    folder = pathlib.Path(folder).resolve()
    if not folder.exists():
        print("skipped: there is no site")
        return 77
    faults, pages = broken_links(folder)
    print(f"links of {pages} pages")
    if browser:
        more, seen = faults_in_browser(folder, browser)
        faults += more
        print(f"{seen} pages in a browser")
    print(*faults[:60], sep="\n")
    return 1 if faults or not pages else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
