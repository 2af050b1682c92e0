// Visits the page in `page/` at several origins, and has it talk to servers. What it finds is judged in test_fetch.py.

import { main } from './chromium.mjs';

await main(async (open, task) => {
    const report = {};
    for (const { name, page: url, probe, server } of task.visits) {
        const { page, response } = await open(url);
        const frame = page.frames().at(-1); // the page, or the frame in it
        await frame.waitForFunction(probe => probe in (globalThis.probes ?? {}), probe);
        report[name] = await frame.evaluate(([probe, server]) => globalThis.probes[probe](server), [probe, server]);
        await page.context().close();
    }
    // A name that its owner lets point to this machine: the page and the server are of one origin then.
    const { page, response } = await open(task.rebound);
    report.rebound = {
        visited: response.status(),
        posted: await page.evaluate(async () => (await fetch(location.href, { method: 'POST', body: '{}' })).status),
    };
    return report;
});
