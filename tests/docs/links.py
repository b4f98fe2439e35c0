"""Every link of a site leads somewhere: to a file, and to a place in it if it names one.

Usage: links.py FOLDER. Links to other hosts are not followed.
"""

import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.places = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            if name in ("id", "name") and value:
                self.places.add(value)


def main(folder):
    root = pathlib.Path(folder).resolve()
    pages = {path: Page(path.read_text()) for path in root.rglob("*.html")}
    links, dead = 0, []
    for path, page in pages.items():
        if path.name == "404.html":  # its links are absolute, for a server
            continue
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            links += 1
            target = path if not parts.path else (path.parent / urllib.parse.unquote(parts.path)).resolve()
            if target.is_dir():
                target = target / "index.html"
            place = urllib.parse.unquote(parts.fragment)
            if not target.is_file():
                dead.append(f"{path.relative_to(root)}: there is no {link}")
            elif place and target in pages and place not in pages[target].places:
                dead.append(f"{path.relative_to(root)}: there is no such place: {link}")
    print("\n".join(dead))
    print(f"{len(pages)} pages, {links} links, {len(dead)} dead")
    return 1 if dead or len(pages) < 20 or links < 500 else 0


sys.exit(main(sys.argv[1]))
