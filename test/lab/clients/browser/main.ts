/** A page of another origin in Chromium through the gateway: prints a line for each feature of ../features.ts. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { launch } from '../../../browser/chromium.ts';
import { listen } from '../../../gateway/support.ts';

const page = readFileSync(fileURLToPath(new URL('./page.html', import.meta.url)), 'utf8');
const server = createServer((_req, res) => res.setHeader('content-type', 'text/html').end(page));
const port = await listen(server);

const browser = await launch();
console.log('version', browser.version());
const tab = await browser.newPage();
tab.on('console', (message) => (message.type() === 'log' ? console.log : console.error)(message.text()));
await tab.goto(`http://127.0.0.1:${port}/`);
await tab.evaluate(
  (environment) => (globalThis as unknown as { run(given: unknown): Promise<void> }).run(environment),
  {
    ...process.env,
  },
);
await browser.close();
server.close();
