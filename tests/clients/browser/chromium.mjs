// Runs a headless Chromium that reaches nothing but this machine, and prints the report of what a script does with it.

import { chromium } from 'playwright-core';

const GUARD = 60_000; // milliseconds after which a wait for something on a page is given up

/** Names that end in .test are this machine too, so that a page can come from an origin that is not allowed. */
const RULES = 'MAP *.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1';

const FLAGS = [
    '--no-sandbox', // which root cannot have
    '--no-first-run',
    '--no-proxy-server',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-gpu',
    '--disable-quic',
    '--disable-sync',
    `--host-resolver-rules=${RULES}`,
];

/** Gives `visit` what was passed on the command line, and a function that opens a page in a profile of its own. */
export async function main(visit) {
    const task = JSON.parse(process.argv[2]);
    const browser = await chromium.launch({ executablePath: task.chromium, args: FLAGS });
    const pages = [];
    const open = async (url, { storage = {} } = {}) => {
        const context = await browser.newContext();
        await context.addInitScript(stored => Object.assign(localStorage, stored), storage);
        const page = await context.newPage();
        page.setDefaultTimeout(GUARD);
        pages.push(page);
        const asked = new Set();
        page.on('request', request => asked.add(new URL(request.url()).origin));
        const response = await page.goto(url);
        return { page, response, asked };
    };
    try {
        process.stdout.write(JSON.stringify(await visit(open, task)));
    } catch (error) {
        const shown = await pages.at(-1)?.locator('body').ariaSnapshot();
        throw new Error(`${error.message}\nThe last page shows:\n${shown}`, { cause: error });
    } finally {
        await browser.close();
    }
}
