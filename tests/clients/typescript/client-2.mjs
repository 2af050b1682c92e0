// The client of the TypeScript SDK's second generation, which speaks both eras.

import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { main, walk } from './walk.mjs';

const transports = {
    stdio: server => new StdioClientTransport(server),
    'streamable-http': server => new StreamableHTTPClientTransport(new URL(server.url)),
    sse: server => new SSEClientTransport(new URL(server.url)),
};

await main(async task => {
    const client = new Client({ name: 'client-2', version: '1.0.0' }, { versionNegotiation: { mode: task.mode } });
    await client.connect(transports[task.server.transport](task.server));
    try {
        const era = client.getProtocolEra();
        const subscribed = era === 'modern' ? await listen(client, task.watched) : await subscribe(client, task.watched);
        const report = await walk(client, (params, options) => client.callTool(params, options), task);
        return { ...report, era, protocolVersion: client.getNegotiatedProtocolVersion(), subscribed };
    } finally {
        await client.close();
    }
});

async function listen(client, uri) {
    const subscription = await client.listen({ toolsListChanged: true, resourceSubscriptions: [uri] });
    const honored = subscription.honoredFilter;
    await subscription.close();
    return honored.toolsListChanged === true && honored.resourceSubscriptions.includes(uri);
}

async function subscribe(client, uri) {
    await client.ping();
    await client.subscribeResource({ uri });
    await client.unsubscribeResource({ uri });
    return true;
}
