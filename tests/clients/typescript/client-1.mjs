// The client of the TypeScript SDK's first generation, which knows the legacy era only.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { main, walk } from './walk.mjs';

const transports = {
    stdio: server => new StdioClientTransport(server),
    'streamable-http': server => new StreamableHTTPClientTransport(new URL(server.url)),
    sse: server => new SSEClientTransport(new URL(server.url)),
};

await main(async task => {
    const client = new Client({ name: 'client-1', version: '1.0.0' });
    const transport = transports[task.server.transport](task.server);
    let protocolVersion;
    // The client tells a transport which version it has negotiated, and nobody else.
    transport.setProtocolVersion = version => (protocolVersion = version);
    await client.connect(transport);
    try {
        await client.ping();
        await client.subscribeResource({ uri: task.watched });
        await client.unsubscribeResource({ uri: task.watched });
        const report = await walk(client, (params, options) => client.callTool(params, undefined, options), task);
        return { ...report, era: 'legacy', protocolVersion, subscribed: true };
    } finally {
        await client.close();
    }
});
