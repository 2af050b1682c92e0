"""The page at `/`: what this server is and offers, for a person as HTML, for everyone else as JSON."""

import json
from collections.abc import Mapping
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

STYLE: Final = """
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 45rem; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; } h3 { font-size: 1rem; margin-bottom: 0; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; }
pre { border: 1px solid; border-radius: 0.3rem; padding: 0.7rem; white-space: pre-wrap; }
ul { margin-top: 0.3rem; padding-left: 1.2rem; } dt { font-weight: bold; } dd { margin: 0 0 0.5rem; }
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
    url = next(iter(described["endpoints"].values()))
    kind = "sse" if described["transport"] == "sse" else "http"
    configuration = json.dumps({"mcpServers": {"everything": {"type": kind, "url": url}}}, indent=2)
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
        f"<p>A server for the Model Context Protocol, <code>{escape(described['name'])}</code>, to test clients with. "
        "This page is for people; clients connect to the endpoint.</p>",
        "<h2>Endpoints</h2><dl>",
        *(
            f"<dt>{escape(purpose)}</dt><dd><code>{escape(address)}</code></dd>"
            for purpose, address in described["endpoints"].items()
        ),
        "</dl>",
        "<h2>Connect a client</h2>",
        "<p>Hosts that read a file with <code>mcpServers</code> take this:</p>",
        f"<pre>{escape(configuration)}</pre>",
        *(_era(era, versions, described) for era, versions in described["protocolVersions"].items()),
        "</body></html>",
    ]
    return "\n".join(parts)


def _era(era: str, versions: list[str], described: Mapping[str, Any]) -> str:
    parts = [
        f"<h2>Features in the {escape(era)} era</h2>",
        f"<p>Revisions {escape(', '.join(versions))}</p>",
    ]
    for kind, names in described["features"].get(era, {}).items():
        parts.append(f"<h3>{KINDS[kind]}</h3><ul>")
        parts.extend(f"<li><code>{escape(name)}</code></li>" for name in names)
        parts.append("</ul>")
    return "\n".join(parts)
