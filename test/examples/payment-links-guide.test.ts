import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, test } from 'node:test';
import { promisify } from 'node:util';
import { freshDirectory, killAll, serve } from '../host/till-process.ts';
import { repository } from '../support/source-tree.ts';

const directory = freshDirectory();
afterEach(killAll);
after(() => directory.remove());

test('the guide of payment links: its program, as it is printed, makes a page that sells and pairs a point of sale', async () => {
  const url = await serve(directory.path).url();
  const guide = readFileSync(join(repository, 'examples/merchant-shop/README.md'), 'utf8');
  const [, program = ''] = /```js\n(\/\/ links\.mjs[\s\S]*?)```/.exec(guide) ?? [];
  assert.ok(program.includes('http://localhost:8080'));
  const file = join(directory.path, 'links.mjs');
  writeFileSync(file, program.replaceAll('http://localhost:8080', url));
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: directory.path });
  const [button = '', pairing = ''] = stdout.trim().split('\n');

  const page = /^<a href="([^"]+)" rel="noopener">Buy a ticket<\/a>$/.exec(button)?.[1] ?? '';
  const sells = await (await fetch(here(page, url))).text();
  assert.match(sells, /Summer concert[\s\S]*€25\.00[\s\S]*>Pay</);

  const [pointOfSale = '', code = ''] = pairing.split('#');
  const paired = await fetch(here(`${pointOfSale}/pair`, url), {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ code }),
  });
  assert.equal(paired.status, 303);
  const cookie = paired.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  assert.match(
    await (await fetch(here(pointOfSale, url), { headers: { Cookie: cookie } })).text(),
    /Coffee bar[\s\S]*>Charge</,
  );
});

/** A page of the till, at the address where this test reaches it. */
const here = (page: string, url: string): string => new URL(new URL(page).pathname, url).href;
