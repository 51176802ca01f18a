/**
 * Writes the documentation as static pages, by the renderer of `/docs`, with the OpenAPI document of a sandbox beside them.
 *
 *     npm run docs:site              into temp/docs-site
 *     npm run docs:site -- FOLDER    into another folder
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHost } from '../host.ts';
import type { ApiDescription } from './description.ts';
import { renderDocs } from './docs.ts';
import { SANDBOX_URL } from './guides.ts';
import { FILES } from './page.tsx';

const folder = process.argv[2] ?? fileURLToPath(new URL('../../temp/docs-site', import.meta.url));
const pages = writeSite(folder, await describeSandbox());
process.stdout.write(`${pages} pages: ${folder}\n`);

/** The description that a sandbox serves, which has every operation. */
async function describeSandbox(): Promise<ApiDescription> {
  const directory = mkdtempSync(join(tmpdir(), 'tillgate-docs-'));
  const host = createHost({ mode: 'sandbox', listen: { host: '127.0.0.1', port: 0 } }, { directory });
  try {
    await host.start();
    const reply = await fetch(`${host.url.replace('localhost', '127.0.0.1')}/openapi.json`);
    return (await reply.json()) as ApiDescription;
  } finally {
    await host.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** @returns the number of pages */
function writeSite(target: string, api: ApiDescription): number {
  const { pages: written, script } = renderDocs(api, FILES, SANDBOX_URL);
  mkdirSync(target, { recursive: true });
  for (const [slug, html] of written) writeFileSync(join(target, FILES.page('', slug)), html);
  writeFileSync(join(target, script.name), script.text);
  writeFileSync(join(target, 'openapi.json'), JSON.stringify(api));
  return written.size;
}
