// The SSE transport of the TypeScript SDK's first generation, in conversations with the calculator.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';

const url = new URL(process.argv[2]);
const capabilities = { sampling: {} };

/** What the transport has received: of progress that comes together with its answer, the client itself tells nobody. */
const heard = [];

async function connect() {
    const client = new Client({ name: 'calculator-client', version: '1.0.0' }, { capabilities });
    const transport = new SSEClientTransport(url);
    await client.connect(transport);
    const receive = transport.onmessage;
    transport.onmessage = (message, extra) => {
        heard.push(message);
        receive(message, extra);
    };
    return client;
}

const calculate = (client, op, a, b) => client.callTool({ name: 'calculate', arguments: { op, a, b } });

async function read(client, uri) {
    const { contents } = await client.readResource({ uri });
    return JSON.parse(contents[0].text);
}

const expressions = async client =>
    (await read(client, 'calculator://history/all')).calculations.map(entry => entry.expression);

const report = {};
const one = await connect();
const { CreateMessageRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
one.setRequestHandler(CreateMessageRequestSchema, async request => ({
    role: 'assistant',
    model: 'test',
    content: { type: 'text', text: `asked: ${request.params.messages[0].content.text}` },
}));
const other = await connect();

report.tools = (await one.listTools()).tools.map(tool => tool.name);
report.call = await calculate(one, 'multiply', 7, 6);
report.invalid = await calculate(one, 'divide', 1, 0);
const numbers = Array.from({ length: 20 }, (_, index) => index);
const concurrent = await Promise.all(numbers.map(number => calculate(one, 'add', number, 1)));
report.concurrent = concurrent.map(result => result.structuredContent.value);
await calculate(other, 'subtract', 9, 8);
report.histories = { one: (await expressions(one)).length, other: await expressions(other) };
report.stats = await read(one, 'calculator://stats');
report.solved = await one.callTool({ name: 'solve_math_problem', arguments: { problem: 'How many?' } });
await one.callTool({ name: 'demo_progress', arguments: { steps: 3, seconds: 0 } }, undefined, { onprogress() {} });
report.progress = heard
    .filter(message => message.method === 'notifications/progress')
    .map(message => message.params.progress);
report.prompt = await one.getPrompt({ name: 'generate-problems', arguments: { topic: 'sums' } });

await one.close();
const again = await connect();
report.reconnected = await expressions(again);
await again.close();
await other.close();
process.stdout.write(JSON.stringify(report));
