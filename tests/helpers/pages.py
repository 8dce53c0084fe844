"""Outcomes for reports, and pages of HTML as they are read."""

import html.parser
import re
from html import unescape

from scorio import simulate

AWKWARD = '<script>alert("x")</script> & \u202egnp.exe "\'` 通义千问'


def world(models=4, questions=30, trials=8, rng=0):
    names = [f"model-{i}" for i in range(models)]
    return simulate.coins(simulate.rates(models, questions, rng=rng), trials, models=names, rng=rng).outcomes


class Page(html.parser.HTMLParser):
    """Tags that open and close as they should, attributes, the text, and the tables: lists of lists of cells."""

    VOID = {"meta", "line", "circle", "path", "polygon", "polyline", "br"}

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.tables, self.text = [], set(), [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.attributes += attrs
        self.tags.add(tag)
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_startendtag(self, tag, attrs):
        assert tag in self.VOID
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not {"style", "script"} & set(self.open):
            self.text.append(data)
        if {"td", "th"} & set(self.open):
            self.tables[-1][-1][-1] += data

    @property
    def all_text(self):
        return " ".join(self.text)


def rows_of(page, caption):
    """The cells of the table with this caption, as text."""
    body = re.search(rf"<caption>{re.escape(caption)}</caption>.*?<tbody>(.*?)</tbody>", page)[1]
    lines = re.findall(r"<tr>(.*?)</tr>", body)
    return [
        [unescape(re.sub(r"<[^>]*>", "", cell)) for cell in re.findall(r"<t[hd].*?</t[hd]>", line)] for line in lines
    ]
