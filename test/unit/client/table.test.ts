import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { CALLS } from '../../../adapters/client/client.ts';
import type { Call } from '../../../adapters/client/transport.ts';
import type {
  ApiErrorCode,
  ListPage,
  OrderItem,
  PayInfo,
  TillgateClient,
  WithdrawInput,
} from '../../../adapters/client/index.ts';
import { TillgateApiError } from '../../../adapters/client/index.ts';
import { createOperations, ERROR_TABLE } from '../../../adapters/http/index.ts';
import type { WireError } from '../../../adapters/http/index.ts';

const TABLE = createOperations({
  serviceName: 'till',
  sandbox: false,
  pageMax: 100,
  requestsPerMinute: 1,
  loginsPerMinute: 1,
  payerWritesPerMinute: 1,
  trustedHops: 0,
  allowPrivateNetworks: false,
});

/** The rows of the payment API: not the payer's page, nor the probes. */
const PAYMENT = TABLE.filter(({ tag }) =>
  ['Orders', 'Transactions', 'Wallets', 'Currencies', 'Login', 'Lightning'].includes(tag),
);

/** A program of a merchant that has nothing but the client. */
const SHOP = `
  import { signTestCallback, TillgateClient, verifyCallback } from './index.js';
  new TillgateClient({ baseUrl: 'https://pay.example.com', credentials: { apiKey: 'key' } });
  const callbackSecret = 'whsec_' + btoa('x'.repeat(32));
  const { url, ...rest } = await signTestCallback({ url: 'https://shop.example/paid', event: 'order.timeout', callbackToken: 't', callbackSecret });
  const { event, order } = await verifyCallback(new Request(url, rest), { callbackSecret });
  console.log(event, order.status);
`;

/** What a caller gets, and what does not compile. */
async function typesOfCalls(client: TillgateClient): Promise<void> {
  const order: PayInfo = await client.createPayInfo({
    chain: 'ETH',
    currency: 'ETH',
    vs_currency: 'USD',
    vs_price: '25',
  });
  const amount: number = order.amount;
  const page: ListPage<OrderItem> = await client.listOrders({ page: amount });
  const withdrawal: WithdrawInput = { amount: '0.1', chain: 'ETH', currency: 'ETH' };
  const { balance, tx_hash: hash }: { balance: string; tx_hash: string | null } = await client.withdraw(withdrawal);
  // @ts-expect-error a field that the till does not know
  await client.withdraw({ ...withdrawal, memo: balance + (hash ?? '') });
  // @ts-expect-error a flag is no text
  await client.createPayUrl({ price: 1, currency: 'USD', fixed_encrypt_price: 'yes' });
  // @ts-expect-error an order needs its price
  await client.createPayUrl({ currency: 'USD' });
  // @ts-expect-error a list has no such query
  await client.listOrders({ limit: page.size });
  // @ts-expect-error the amounts of the list are decimal text
  const wrong: number | undefined = page.data[0]?.amount;
  for await (const item of client.orders()) if (item.status === 'OVERDUE' && wrong === undefined) return;
}

describe('the client and the operations table', () => {
  test('every operation of the payment API can be called, as the table says', () => {
    assert.deepEqual(Object.keys(CALLS).sort(), PAYMENT.map(({ id }) => id).sort());
    for (const [id, call] of Object.entries<Call>(CALLS)) {
      const row = PAYMENT.find((each) => each.id === id);
      const known = {
        method: row?.method,
        path: row?.path,
        keyed: row?.idempotent,
        once: row?.auth.kind === 'merchant' && row.auth.scope === 'move',
        open: row?.auth.kind === 'none',
      };
      assert.deepEqual(
        {
          method: call.method,
          path: call.path,
          keyed: call.keyed === true,
          once: call.once === true,
          open: call.open === true,
        },
        known,
        id,
      );
    }
  });

  test('its types are those of the schemas', () => assert.equal(typeof typesOfCalls, 'function'));

  test('every code of the payment API has its word', () => {
    const facts = { operation: 'withdraw', tries: 1, idempotencyKey: null };
    for (const [word, { code, manageOnly }] of Object.entries<WireError>(ERROR_TABLE)) {
      if (manageOnly === true) continue;
      const { kind } = new TillgateApiError({ code, message: 'x' }, Math.floor(code / 100), null, facts);
      const shared = (
        {
          CONFIG_INVALID: 'INTERNAL',
          LEASE_LOST: 'INTERNAL',
          SIGNING_REFUSED: 'INTERNAL',
          SIGNER_UNAVAILABLE: 'NOT_READY',
          CHAIN_HALTED: 'NODE_FAILED',
        } as Record<string, string>
      )[word];
      assert.equal(kind, shared ?? word);
    }
    const known: ApiErrorCode = 40004;
    assert.equal(new TillgateApiError({ code: known + 90_000, message: 'x' }, 400, null, facts).kind, 'UNKNOWN');
  });

  test('imports nothing at run time but its own files', () => {
    const folder = new URL('../../../adapters/client/', import.meta.url);
    for (const file of readdirSync(folder)) {
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
