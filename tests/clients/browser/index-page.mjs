// The page that a server has at `/`, as a person sees it on a phone and on a desk.

import { main } from './chromium.mjs';

const SIZES = { phone: { width: 360, height: 740 }, desk: { width: 1280, height: 900 } };

await main(async (open, task) => {
    const report = {};
    for (const [name, size] of Object.entries(SIZES)) {
        const { page, response, asked } = await open(task.url);
        const errors = [];
        page.on('console', message => errors.push(message.text()));
        await page.setViewportSize(size);
        await page.reload();
        await page.screenshot({ path: `${task.folder}/${name}.png`, fullPage: true });
        report[name] = {
            type: response.headers()['content-type'],
            asked: [...asked],
            errors,
            headings: await page.locator('h1, h2').allTextContents(),
            features: await page.locator('tbody tr').allTextContents(),
            connecting: await page.locator('pre').allTextContents(),
            scripts: await page.locator('script').count(),
            // What is wider than the window would have to be pushed to and fro to be read.
            overflow: await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
            fontSize: await page.evaluate(() => parseFloat(getComputedStyle(document.body).fontSize)),
        };
    }
    return report;
});
