// Walks the catalogue with a client and gives a report: what it is made of is described in ../catalogue.py.

/**
 * @param client a connected client; both generations name their methods alike
 * @param callTool calls a tool; the one method that takes its options in another place in each generation
 * @param task what was given on the command line
 */
export async function walk(client, callTool, task) {
    const { tools } = await client.listTools();
    const { resources } = await client.listResources();
    const { resourceTemplates } = await client.listResourceTemplates();
    const { prompts } = await client.listPrompts();
    const methods = {
        'tools/call': callTool,
        'resources/read': (params, options) => client.readResource(params, options),
        'prompts/get': (params, options) => client.getPrompt(params, options),
        'completion/complete': (params, options) => client.complete(params, options),
    };
    const answers = {};
    for (const request of task.requests) {
        answers[request.id] = await answerTo(methods[request.method], request);
    }
    return {
        serverInfo: client.getServerVersion(),
        capabilities: client.getServerCapabilities(),
        instructions: client.getInstructions(),
        tools,
        resources,
        resourceTemplates,
        prompts,
        answers,
        cancelled: await cancel(callTool, task.endless),
    };
}

async function answerTo(method, { params, wantsProgress }) {
    const progress = [];
    const options = wantsProgress ? { onprogress: step => progress.push(step) } : {};
    const answer = {};
    try {
        answer.result = await method(params, options);
    } catch (error) {
        answer.error = { code: error.code, data: error.data };
    }
    if (progress.length > 0) answer.progress = progress;
    return answer;
}

/** Cancels a call after its first progress; true if it ended in an error, and the connection still serves. */
async function cancel(callTool, params) {
    const controller = new AbortController();
    const call = callTool(params, { signal: controller.signal, onprogress: () => controller.abort('enough') });
    const ended = await call.then(
        () => false,
        () => controller.signal.aborted,
    );
    const { content } = await callTool({ name: 'echo', arguments: { message: 'still here' } }, {});
    return ended && content[0].text === 'Echo: still here';
}

/** Runs a client and prints its report as one JSON text. */
export async function main(connect) {
    const task = JSON.parse(process.argv[2]);
    process.stdout.write(JSON.stringify(await connect(task)));
}
