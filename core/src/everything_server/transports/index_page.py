"""The page at `/`: what this server is and offers, for a person as HTML, for everyone else as JSON."""

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from everything_server.eras import Era, versions_of
from everything_server.registry import Registry
from everything_server.specs import ServerStatus

HEADERS: Final = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
    "vary": "Accept",
    "x-content-type-options": "nosniff",
}
"""The page needs nothing but its own style."""

KINDS: Final = {
    "tools": "Tools",
    "resources": "Resources",
    "resourceTemplates": "Resource templates",
    "prompts": "Prompts",
    "extensions": "Extensions",
}

FOLDED: Final = "resources"
"""The longest list, whose entries are much alike."""

STYLE: Final = """
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
:root { --line: color-mix(in srgb, CanvasText 22%, Canvas); }
body { margin: 0 auto; max-width: 45rem; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.2; } h1 small { font-size: 1rem; font-weight: normal; }
h2 { font-size: 1.25rem; margin: 2rem 0 0.5rem; } summary { font-weight: bold; padding: 0.5rem 0; cursor: pointer; }
p { margin: 0.5rem 0; } dt { font-weight: bold; } dd { margin: 0 0 0.5rem; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; }
pre { border: 1px solid var(--line); border-radius: 0.3rem; white-space: pre-wrap; }
pre { margin: 0.3rem 0 1rem; padding: 0.7rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid var(--line); font-weight: normal; padding: 0.25rem 0.25rem 0.25rem 0; }
th { text-align: left; } thead th { font-size: 0.9em; vertical-align: bottom; }
.era { overflow-wrap: normal; text-align: center; width: 4rem; }
"""


def index(request: Request, status: ServerStatus, registries: Mapping[Era, Registry]) -> Response:
    """The answer to a request for the page.

    Args:
        request: Decides the form, and names the server as its client does.
        status: The server.
        registries: What is served in each era; nothing where that is not known.
    """
    base = f"{request.url.scheme}://{request.url.netloc}{request.scope.get('root_path', '')}"
    described = _describe(status, registries, base)
    if prefers_html(request):
        return HTMLResponse(_page(described), headers=HEADERS)
    return Response(json.dumps(described, indent=2), headers=HEADERS, media_type="application/json")


def prefers_html(request: Request) -> bool:
    """Whether the client names HTML among what it accepts, as browsers do, and does not prefer JSON to it."""
    qualities = {"text/html": 0.0, "application/json": 0.0}
    for part in ",".join(request.headers.getlist("accept")).split(","):
        media, *parameters = (piece.strip().lower() for piece in part.split(";"))
        if media in qualities:
            qualities[media] = _quality(parameters)
    return qualities["text/html"] > 0 and qualities["text/html"] >= qualities["application/json"]


def _quality(parameters: list[str]) -> float:
    """RFC 9110, section 12.4.2; what cannot be read counts as not accepted."""
    given = next((value[2:] for value in parameters if value.startswith("q=")), "1")
    try:
        return float(given)
    except ValueError:
        return 0.0


def _describe(status: ServerStatus, registries: Mapping[Era, Registry], base: str) -> dict[str, Any]:
    endpoints = {purpose: f"{base}{path}" for purpose, path in status.endpoints.items()}
    return {
        "name": status.name,
        "title": status.title,
        "version": status.version,
        "transport": status.transport,
        "endpoints": endpoints,
        "protocolVersions": {str(era): versions_of({era}) for era in Era if era in status.eras},
        "features": {str(era): _features(registry) for era, registry in registries.items()},
    }


def _features(registry: Registry) -> dict[str, list[str]]:
    found = {
        "tools": list(registry.tools),
        "resources": list(registry.resources),
        "resourceTemplates": list(registry.templates),
        "prompts": list(registry.prompts),
        "extensions": [extension.identifier for extension in registry.extensions],
    }
    return {kind: names for kind, names in found.items() if names}


def _page(described: Mapping[str, Any]) -> str:
    title = f"{described['title']} {described['version']}"
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>",
        f"<h1>{escape(described['title'])} <small>{escape(described['version'])}</small></h1>",
        f"<p>A server for the Model Context Protocol, <code>{escape(described['name'])}</code>, to test clients with. "
        "This page is for people; clients connect to an endpoint.</p>",
        "<h2>Endpoints</h2><dl>",
        *(
            f"<dt>{escape(purpose)}</dt><dd><code>{escape(address)}</code></dd>"
            for purpose, address in described["endpoints"].items()
        ),
        "</dl>",
        *_connecting(described),
        "<h2>Eras</h2><dl>",
        *(
            f"<dt>{escape(era)}</dt><dd>{escape(', '.join(versions))}</dd>"
            for era, versions in described["protocolVersions"].items()
        ),
        "</dl>",
        *(["<p>How a client opens decides which it gets.</p>"] if len(described["protocolVersions"]) > 1 else []),
        *_features_by_era(described["features"]),
        "</body></html>",
    ]
    return "\n".join(parts)


def _connecting(described: Mapping[str, Any]) -> Iterator[str]:
    url = next(iter(described["endpoints"].values()))
    kind = "sse" if described["transport"] == "sse" else "http"
    entry = {"everything": {"type": kind, "url": url}}
    yield "<h2>Connect a client</h2>"
    for explained, shown in (
        ("Hosts that read a file with <code>mcpServers</code>:", json.dumps({"mcpServers": entry}, indent=2)),
        ("VS Code, in <code>.vscode/mcp.json</code>:", json.dumps({"servers": entry}, indent=2)),
        ("Claude Code:", f"claude mcp add --transport {kind} everything {url}"),
    ):
        yield f"<p>{explained}</p><pre>{escape(shown)}</pre>"


def _features_by_era(features: Mapping[str, Mapping[str, list[str]]]) -> Iterator[str]:
    """A table for each kind: what there is of it, and in which eras."""
    if not features:
        return
    columns = "".join(f'<th scope="col" class="era">{escape(era)}</th>' for era in features)
    yield "<h2>Features</h2>"
    for kind, heading in KINDS.items():
        by_era = {era: found.get(kind, []) for era, found in features.items()}
        names = dict.fromkeys(name for found in by_era.values() for name in found)
        if names:
            opened = "" if kind == FOLDED else " open"
            yield f"<details{opened}><summary>{heading} ({len(names)})</summary>"
            yield f'<table><thead><tr><th scope="col">Name</th>{columns}</tr></thead><tbody>'
            for name in names:
                marks = "".join(f'<td class="era">{"✓" if name in found else "–"}</td>' for found in by_era.values())
                yield f'<tr><th scope="row"><code>{_breakable(name)}</code></th>{marks}</tr>'
            yield "</tbody></table></details>"


def _breakable(name: str) -> str:
    """A name as HTML, which may go on in the next line behind the slashes of its path if it is a URI."""
    scheme, separator, path = name.partition("://")
    return escape(scheme + separator) + escape(path).replace("/", "/<wbr>")
