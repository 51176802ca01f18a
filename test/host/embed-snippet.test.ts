import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import express from 'express';
import knex from 'knex';
import { Registry } from 'prom-client';
import { isTillgateError, present, readDecimal } from '../../core/index.ts';
import { createTillgate, merchantOf } from '../../host/embed/index.ts';
import type { Tillgate } from '../../host/embed/index.ts';
import ethereum from '../../plugins/ethereum/index.ts';
import { repository } from '../support/source-tree.ts';

const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const AsyncFunction = (async () => undefined).constructor as new (
  ...parts: string[]
) => (...values: unknown[]) => Promise<Tillgate>;

/** The program of the guide, up to its first order, which needs prices. */
function program(): string {
  const [, code = ''] =
    /```ts\n([\s\S]*?)```/.exec(readFileSync(join(repository, 'host/embed/README.md'), 'utf8')) ?? [];
  const lines = code.split('\n').filter((line) => !line.startsWith('import '));
  const end = lines.findIndex((line) => line.startsWith('const order'));
  assert.ok(end > 5, 'the program ends with an order');
  return [...lines.slice(0, end), 'return till;']
    .join('\n')
    .replace('https://your-node.example.com', 'http://127.0.0.1:1');
}

test('the program of the guide for applications runs as it is printed; wrong input is refused by name', async (t) => {
  const app = express();
  const given = {
    createTillgate,
    merchantOf,
    ethereum,
    db: knex({
      client: 'sqlite3',
      connection: { filename: ':memory:' },
      useNullAsDefault: true,
      pool: { min: 1, max: 1 },
    }),
    masterKey: randomBytes(32),
    mnemonic: 'test test test test test test test test test test test junk',
    registry: new Registry(),
    app,
    console: QUIET,
  };
  const till = await new AsyncFunction(...Object.keys(given), program())(...Object.values(given));
  t.after(async () => {
    await till.close();
    await given.db.destroy();
  });
  assert.ok((await given.registry.metrics()).includes('tillgate_'));

  const price = present(readDecimal('12.50'), 'the price');
  for (const vsPrice of ['12.50', 12.5, null, undefined, { ...price, scale: NaN }])
    await assert.rejects(
      till.createOrder.hosted(merchantOf('1' as never), { vsCurrency: 'EUR', vsPrice: vsPrice as never }),
      (error) => isTillgateError(error, 'INVALID_FIELDS') && error.message.includes('readDecimal'),
    );
  assert.throws(() => (till.toFetch as unknown as () => unknown)(), /toFetch needs facts/);
});
