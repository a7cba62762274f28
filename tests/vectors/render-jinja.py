"""Renders chat templates with Jinja2, set up as transformers sets it up (utils/chat_template_utils.py), with a fixed date.

Reads from standard input a JSON list of { "template": text, "values": object }, and writes a list of { "text": … } or
{ "error": … }: `python3 tests/vectors/render-jinja.py < cases.json`. Needs Debian's python3-jinja2.
"""

import datetime
import functools
import json
import sys

import jinja2
import jinja2.ext
from jinja2.sandbox import ImmutableSandboxedEnvironment

NOW = datetime.datetime(2026, 7, 4, 9, 5, 6)


class Generation(jinja2.ext.Extension):
    """The tag by which templates mark what the assistant says; it writes what is within."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_within"), [], [], body).set_lineno(line)

    def _within(self, caller):
        return caller()


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


environment = ImmutableSandboxedEnvironment(
    trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols]
)
environment.filters["tojson"] = tojson
environment.globals["raise_exception"] = raise_exception
environment.globals["strftime_now"] = NOW.strftime


parse = functools.cache(environment.from_string)


def render(case):
    try:
        return {"text": parse(case["template"]).render(**case["values"])}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


if __name__ == "__main__":
    json.dump([render(case) for case in json.load(sys.stdin)], sys.stdout, ensure_ascii=False)
