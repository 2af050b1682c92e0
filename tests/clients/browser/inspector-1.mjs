// Drives the page of MCP Inspector's first generation, which can connect from the browser itself ("direct").

import { main } from './chromium.mjs';

await main(async (open, task) => {
    const report = {};
    for (const { transport, url } of task.servers) {
        // Its other way to connect is by a proxy; where that should be, there are only the pages.
        const query = new URLSearchParams({ transport, serverUrl: url, MCP_PROXY_FULL_ADDRESS: task.page });
        const { page, asked } = await open(`${task.page}/?${query}`, { storage: { lastConnectionType: 'direct' } });
        await page.getByRole('button', { name: 'Connect', exact: true }).click();
        await page.getByText('Connected', { exact: true }).waitFor();
        const tools = page.getByRole('tabpanel', { name: 'Tools' });
        await page.getByRole('tab', { name: 'Tools' }).click();
        await tools.getByRole('button', { name: 'List Tools' }).click();
        await tools.getByText('Echo Tool').click();
        const listed = await tools.locator('span.text-sm').count();
        await tools.getByRole('textbox', { name: 'message' }).fill(task.message);
        await tools.getByRole('button', { name: 'Run Tool' }).click();
        await tools.getByText('Tool Result: Success').waitFor();
        report[transport] = { text: await tools.innerText(), asked: [...asked], listed };
        await page.getByRole('button', { name: 'Disconnect' }).click();
        await page.getByText('Disconnected', { exact: true }).waitFor();
        await page.context().close();
    }
    return report;
});
