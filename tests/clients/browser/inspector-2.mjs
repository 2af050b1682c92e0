// Drives the page of MCP Inspector's second generation, whose own server connects to the servers that it lists.

import { main } from './chromium.mjs';

await main(async (open, task) => {
    const report = {};
    const { page } = await open(task.page);
    const status = wanted => page.locator(`[data-testid=connection-status][data-status=${wanted}]`).waitFor();
    const choose = screen => page.getByRole('radiogroup').first().getByText(screen, { exact: true }).click();
    for (const name of task.servers) {
        await page.getByRole('switch', { name: `Connect or disconnect "${name}"` }).press('Space');
        await status('connected');
        const version = await page.getByText(/^MCP \d{4}-\d\d-\d\d$/).innerText();
        await choose('Tools');
        const heading = await page.getByRole('heading', { name: /^Tools \(/ }).innerText();
        await page.getByRole('button', { name: 'Echo Tool' }).click();
        await page.getByRole('textbox', { name: 'Message' }).fill(task.message);
        await page.getByRole('button', { name: 'Execute Tool' }).click();
        const answer = await page.getByText(`Echo: ${task.message}`).first().innerText();
        report[name] = { version, heading, answer };
        await page.getByRole('button', { name: 'Disconnect from server' }).click();
        await status('disconnected');
    }
    return report;
});
