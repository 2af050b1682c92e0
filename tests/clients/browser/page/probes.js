// A web page's own small MCP client. Each probe gives what a page can see, as plain data.

const CLIENT = { name: 'page', version: '1.0.0' };

function post(url, message, headers = {}, options = {}) {
    return fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
        ...options,
    });
}

/** The messages of a body: of a JSON text, or of an event stream. */
function messages(text) {
    if (!text.includes('data: ')) return text === '' ? [] : [JSON.parse(text)];
    return [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data));
}

async function seen(response) {
    const type = response.headers.get('Content-Type');
    return { status: response.status, type, messages: messages(await response.text()) };
}

function initialize(id) {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT };
    return { id, method: 'initialize', params };
}

function echo(id, message, meta) {
    return { id, method: 'tools/call', params: { name: 'echo', arguments: { message }, ...meta } };
}

/** A legacy session, from its beginning to its end and beyond. */
async function session(url) {
    const opened = await post(url, initialize(1));
    const sessionId = opened.headers.get('Mcp-Session-Id');
    const headers = { 'Mcp-Session-Id': sessionId, 'MCP-Protocol-Version': '2025-11-25' };
    const ping = { id: 3, method: 'ping' };
    return {
        hasSessionId: typeof sessionId === 'string' && sessionId !== '',
        opened: await seen(opened),
        initialized: await seen(await post(url, { method: 'notifications/initialized' }, headers)),
        stream: (await fetch(url, { headers: { ...headers, Accept: 'text/event-stream' } })).status,
        echo: await seen(await post(url, echo(2, 'from a page'), headers)),
        withoutSession: await seen(await post(url, ping)),
        unknownSession: await seen(await post(url, ping, { ...headers, 'Mcp-Session-Id': 'made-up' })),
        plainText: await seen(await post(url, ping, { ...headers, 'Content-Type': 'text/plain' })),
        ended: (await fetch(url, { method: 'DELETE', headers })).status,
        afterwards: await seen(await post(url, ping, headers)),
    };
}

const META = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': CLIENT,
    'io.modelcontextprotocol/clientCapabilities': {},
};

function modern(url, { id, method, params }, headers = {}, options = {}) {
    const { _meta, ...rest } = params ?? {};
    const routing = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method };
    if (typeof rest.name === 'string') routing['Mcp-Name'] = rest.name;
    const message = { id, method, params: { ...rest, _meta: { ...META, ..._meta } } };
    return post(url, message, { ...routing, ...headers }, options);
}

/** Requests of the modern era. */
async function requests(url) {
    const steps = { name: 'trigger-long-running-operation', arguments: { duration: 0.02, steps: 2 } };
    const watch = { notifications: { toolsListChanged: true } };
    const cancelled = new AbortController();
    const listening = await modern(url, { id: 7, method: 'subscriptions/listen', params: watch }, {}, cancelled);
    const reader = listening.body.pipeThrough(new TextDecoderStream()).getReader();
    const { value } = await reader.read();
    cancelled.abort();
    return {
        echo: await seen(await modern(url, echo(1, 'from a page'))),
        progress: await seen(
            await modern(url, { id: 2, method: 'tools/call', params: { ...steps, _meta: { progressToken: 0 } } }),
        ),
        unknownMethod: await seen(await modern(url, { id: 3, method: 'no/such/method' })),
        wrongName: await seen(await modern(url, echo(4, 'x'), { 'Mcp-Name': 'get-sum' })),
        oldVersion: await seen(
            await modern(url, echo(5, 'x', { _meta: { 'io.modelcontextprotocol/protocolVersion': '1900-01-01' } }), {
                'MCP-Protocol-Version': '1900-01-01',
            }),
        ),
        listening: { status: listening.status, messages: messages(value) },
    };
}

/** A session over HTTP+SSE, with the browser's own reader of event streams. */
async function events(url) {
    const source = new EventSource(url);
    const arrival = type =>
        new Promise((resolve, reject) => {
            source.addEventListener(type, event => resolve(event.data), { once: true });
            source.addEventListener('error', () => reject(new Error('the stream broke')), { once: true });
        });
    try {
        const endpoint = new URL(await arrival('endpoint'), url).href;
        const answer = async message => {
            const arrived = arrival('message');
            const { status } = await post(endpoint, message);
            return { status, message: JSON.parse(await arrived) };
        };
        const opened = await answer(initialize(1));
        await post(endpoint, { method: 'notifications/initialized' });
        const called = await answer(echo(2, 'from a page'));
        const unknown = await seen(await post(new URL('/message?sessionId=made-up', url).href, initialize(3)));
        return { opened, called, unknown };
    } finally {
        source.close();
    }
}

/** What becomes of requests that the browser asks leave for first, of one that it just sends, and of streams. */
async function attempts(url) {
    const outcome = request => request.then(({ status }) => status, error => error.name);
    const plain = { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: JSON.stringify(initialize(1)) };
    const source = new EventSource(url);
    const stream = new Promise(resolve => {
        source.onopen = () => resolve('open');
        source.onerror = () => resolve('error');
    });
    try {
        return {
            asked: await outcome(post(url, initialize(1))),
            sent: await outcome(fetch(url, plain)),
            deleted: await outcome(fetch(url, { method: 'DELETE', headers: { 'Mcp-Session-Id': 'made-up' } })),
            read: await outcome(fetch(url)),
            stream: await stream,
        };
    } finally {
        source.close();
    }
}

globalThis.probes = { session, requests, events, attempts };
