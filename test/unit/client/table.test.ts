import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { CALLS } from '../../../adapters/client/api.ts';
import type { CallTable } from '../../../adapters/client/transport.ts';
import type { Order, TillgateClient } from '../../../adapters/client/index.ts';
import type { Tillgate } from '../../../host/embed/index.ts';
import { NAMED } from '../../support/api-types.ts';
import { generatedFiles } from '../../support/generated-files.ts';
import { repository } from '../../support/source-tree.ts';

/** A program of a merchant that has nothing but the client. */
const SHOP = `
  import { createTillgateClient, signTestCallback, verifyCallback } from './index.js';
  createTillgateClient({ baseUrl: 'https://pay.example.com', credentials: { apiKey: 'key' } });
  const callbackSecret = 'whsec_' + btoa('x'.repeat(32));
  const { url, ...rest } = await signTestCallback({ url: 'https://shop.example/paid', event: 'order.timeout', callbackToken: 't', callbackSecret });
  const { event, order } = await verifyCallback(new Request(url, rest), { callbackSecret });
  console.log(event, order.status);
`;

/** What a merchant's program gets, and what does not compile. */
async function typesOfClient(client: TillgateClient): Promise<void> {
  const order: Order = await client.orders.create({ price: '25', currency: 'USD', chain: 'ETH', coin: 'ETH' });
  const amount: string | undefined = order.payment?.amount;
  // @ts-expect-error an amount is a string
  await client.orders.create({ price: 25, currency: 'USD' });
  // @ts-expect-error a field that the till does not know
  await client.orders.create({ price: '25', currency: 'USD', memo: amount });
  // @ts-expect-error an order needs its price
  await client.orders.create({ currency: 'USD' });
  // @ts-expect-error the amounts of records are strings
  const wrong: number | undefined = order.payment?.amount;
  // @ts-expect-error a merchant makes no accounts
  void client.accounts;
  for await (const { status } of client.orders.all({ from: new Date(0) }))
    if (status === 'OVERDUE' && wrong === undefined) return;
}

/** The same of an application in process. */
async function typesOfTill(till: Tillgate): Promise<void> {
  const { id } = await till.accounts.create({ email: 'shop@example.com' });
  await till.orders.create({ account: id, price: '25', currency: 'USD' });
  // @ts-expect-error the operator has no account of its own, so the order's must be named
  await till.orders.create({ price: '25', currency: 'USD' });
}

describe('the calls and the operations table', () => {
  test('their types and their table are written from the operations; else: npm run generate', async () => {
    for (const [path, text] of await generatedFiles())
      assert.equal(readFileSync(join(repository, path), 'utf8'), text, path);
  });

  test('every operation that a key may call is in the client, as the table says', () => {
    const offered = NAMED.filter((each) => each.offered).map(({ row }) => row);
    const calls = Object.entries<CallTable[string]>(CALLS).flatMap(([resource, verbs]) =>
      Object.entries(verbs).map(([verb, call]) => [`${resource}.${verb}`, call] as const),
    );
    assert.equal(calls.length, offered.length);
    for (const [name, { method, path, ...call }] of calls) {
      const row = offered.find((each) => each.method === method && each.path === path);
      assert(row, `${name} is not in the table`);
      assert.equal(
        row.id.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
        name,
      );
      const moves = row.auth.kind === 'merchant' && row.auth.scope === 'move';
      assert.deepEqual(
        [call.keyed ?? false, call.once ?? false, call.versioned ?? false],
        [row.idempotent, moves, row.versioned],
        name,
      );
      // A decision about a record takes effect once, by the status of the record.
      const decides = row.method === 'POST' && /\/\{id\}\/\w+$/.test(row.path);
      if (moves) assert(row.idempotent || decides, `${name} moves money, and must be safe to repeat`);
    }
  });

  test('their types are those of the schemas', () =>
    assert.deepEqual([typeof typesOfClient, typeof typesOfTill], ['function', 'function']));

  test('imports nothing at run time but its own files', () => {
    const folder = new URL('../../../adapters/client/', import.meta.url);
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.ts'))) {
      const source = readFileSync(new URL(file, folder), 'utf8');
      for (const [, kind, from = ''] of source.matchAll(/^(?:import|export) (type )?[^;]*? from '([^']+)';/gm)) {
        assert(kind !== undefined || from.startsWith('./'), `${file} imports ${from}`);
      }
      assert.doesNotMatch(source, /\bimport\(|\brequire\(|\bBuffer\b/, file);
    }
  });

  test('its files alone, in a folder without any package, sign and verify', (t) => {
    const [source, target] = [
      new URL('../../../adapters/client/', import.meta.url),
      mkdtempSync(join(tmpdir(), 'tillgate-client-')),
    ];
    t.after(() => rmSync(target, { recursive: true, force: true }));
    const compilerOptions = {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2022,
      rewriteRelativeImportExtensions: true,
      verbatimModuleSyntax: true,
    };
    for (const file of readdirSync(source)) {
      const { outputText } = ts.transpileModule(readFileSync(new URL(file, source), 'utf8'), { compilerOptions });
      writeFileSync(join(target, file.replace(/\.ts$/, '.js')), outputText);
    }
    writeFileSync(join(target, 'package.json'), '{"type":"module"}');
    writeFileSync(join(target, 'shop.js'), SHOP);
    const { status, stdout, stderr } = spawnSync(process.execPath, ['shop.js'], {
      cwd: target,
      encoding: 'utf8',
      env: {},
    });
    assert.deepEqual([status, stdout.trim()], [0, 'order.timeout OVERDUE'], stderr);
  });
});
