import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import express from 'express';
import { isTillgateError } from '../../core/index.ts';
import { createTillgate } from '../../host/embed/index.ts';
import type { Tillgate } from '../../host/embed/index.ts';
import { ethereum } from '../../plugins/ethereum/index.ts';
import { repository } from '../support/source-tree.ts';
import { freshDirectory } from './till-process.ts';

const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const AsyncFunction = (async () => undefined).constructor as new (
  ...parts: string[]
) => (...values: unknown[]) => Promise<Tillgate>;

/** The program of the guide, up to its first order, which needs prices. */
function program(folder: string): string {
  const [, code = ''] =
    /```ts\n([\s\S]*?)```/.exec(readFileSync(join(repository, 'host/embed/README.md'), 'utf8')) ?? [];
  const lines = code.split('\n').filter((line) => !line.startsWith('import '));
  const end = lines.findIndex((line) => line.startsWith('const order'));
  assert.ok(end > 5, 'the program ends with an order');
  return [...lines.slice(0, end), 'return till;']
    .join('\n')
    .replace('https://your-node.example.com', 'http://127.0.0.1:1')
    .replace('sqlite:./till.db', `sqlite:${join(folder, 'till.db')}`);
}

test('the program of the guide for applications runs as it is printed; wrong input is refused by name', async (t) => {
  const folder = freshDirectory();
  const app = express();
  const given = { createTillgate, ethereum, app, console: QUIET, ship: () => undefined };
  const till = await new AsyncFunction(...Object.keys(given), program(folder.path))(...Object.values(given));
  t.after(async () => {
    await till.close();
    folder.remove();
  });
  const { items } = await till.accounts.list();
  const [shop] = items;
  assert.equal(shop?.email, 'shop@example.com');
  const account = shop?.id ?? '';
  for (const price of ['12,50', 'EUR 12', '-1', '0', 12.5, null, undefined])
    await assert.rejects(
      till.orders.create({ account, currency: 'EUR', price: price as string }),
      (error) => isTillgateError(error, 'INVALID_FIELDS') && /^price: (must be|is required)/.test(error.message),
      String(price),
    );
  await assert.rejects(
    till.orders.create({ account, currency: 'EUR', price: 1n as never }),
    (error) => isTillgateError(error, 'INVALID_FIELDS') && /^price: .*decimal string/.test(error.message),
  );
  await assert.rejects(till.orders.get(undefined as never), (error) => isTillgateError(error, 'INVALID_FIELDS'));
});
