import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { createPublicClient, http, toHex } from 'viem';
import type { Address, Hex } from 'viem';
import type { SqlStorage } from '../../adapters/storage/knex/index.ts';
import { mint, read } from '../support/contracts.ts';
import { silentLogger, openStorageAlone } from '../support/storage.ts';
import { waitFor } from '../support/wait.ts';
import { PAYER } from './till-on-anvil.ts';
import type { TillOnAnvil } from './till-on-anvil.ts';
import {
  cancels,
  demanded,
  firstInBlock,
  get,
  HOT,
  chargesSent,
  sendsByItself,
  signed,
  startChargingTill,
  unpack,
} from './x402-payer.ts';
import type { Forgery, Reply, Requirements } from './x402-payer.ts';

const GWEI = 1_000_000_000n;
/** What the orders here ask for: 250 USDT. */
const DUE = 250_000_000n;
/** Somebody without a token. */
const POOR: Address = '0x00000000000000000000000000000000000d00d1';

describe('x402 when somebody else is faster, on anvil and pg', { concurrency: 1 }, () => {
  let till: TillOnAnvil;
  let storage: SqlStorage;

  const held = (address: Address): Promise<bigint> => read(till.anvil, till.tokens.honest, 'balanceOf', [address]);
  /** What merchants were charged for gas, in units of the token. */
  const charged = async (): Promise<bigint> =>
    (await storage.ledger.balances('fees:network')).find(({ currency }) => currency === 'USDT-ERC20')?.units ?? 0n;
  const mines = (automatically: boolean): Promise<unknown> => till.anvil.rpc('evm_setAutomine', [automatically]);
  /** Sends a payment, and waits until the till's transaction waits for a block; the reply comes later. */
  const waiting = async (page: string, header: string): Promise<{ readonly reply: Promise<Reply> }> => {
    const sent = await chargesSent(till);
    const reply = get(page, header);
    await waitFor(async () => (await chargesSent(till)) > sent, { timeoutMs: 60_000, describe: () => till.log });
    return { reply };
  };
  const booksHold = async (): Promise<void> => {
    const { code, out, err } = await till.command('ledger', 'check', '--full');
    assert.equal(code, 0, `${out}${err}`);
  };

  before(async () => {
    till = await startChargingTill('pg');
    assert(till.databaseUrl !== null);
    storage = await openStorageAlone({ client: 'pg', connection: till.databaseUrl }, { logger: silentLogger });
  });
  after(async () => {
    await storage.close();
    await till.close();
  });

  test('fault 264: the same authorization at two instances at once is one transfer, and pays once', async (t) => {
    const beside = await till.startBeside();
    t.after(() => beside.stop());
    const { id, page } = await till.hostedOrder();
    const terms = await demanded(page);
    const header = await signed(terms);
    const before = await chargesSent(till);
    const pages = [page, `${beside.url}${new URL(page).pathname}`];
    const replies = await Promise.all([...pages, ...pages, ...pages].map((each) => get(each, header)));
    assert.deepEqual(
      [...new Set(replies.map(({ status, body }) => `${status} ${String(body['transaction'])}`))],
      [`200 ${String(replies[0]?.body['transaction'])}`],
    );
    await till.anvil.mine(6);
    await till.becomes(id, 'SUCCESS');
    assert.deepEqual([(await chargesSent(till)) - before, await held(terms.payTo)], [1, DUE]);
    await booksHold();
  });

  for (const { name, act, undo } of [
    {
      name: 'cancels the authorization',
      act: (header: string): Promise<unknown> => cancels(till, header),
      undo: (): Promise<unknown> => Promise.resolve(),
    },
    {
      name: 'moves the tokens away',
      act: async (): Promise<unknown> => firstInBlock(till, 'transfer', [HOT, await held(PAYER.address)]),
      undo: (): Promise<unknown> => mint(till.anvil, till.tokens.honest, PAYER.address, 10n ** 30n),
    },
  ])
    test(`fault 274: a payer who ${name} while the till's transaction waits pays nothing; the gas is the merchant's, and bounded`, async () => {
      const { id, page } = await till.hostedOrder();
      const terms = await demanded(page);
      const header = await signed(terms);
      const before = await charged();
      await mines(false);
      const { reply } = await waiting(page, header);
      await act(header);
      await till.anvil.mine(1);
      await mines(true);
      await undo();
      assert.equal(await held(terms.payTo), 0n);
      await till.anvil.mine(6);
      const { status, body } = await reply;
      assert.deepEqual([status, body['status']], [402, 'failed'], JSON.stringify(body));
      const gas = (await charged()) - before;
      assert(gas > 0n && gas <= DUE / 20n, `${gas} units`);
      assert.equal(await till.merchant.status(id), 'PENDING');
      const sent = await chargesSent(till);
      assert.equal((await get(page, header)).status, 402, 'it is not sent again');
      assert.equal(await chargesSent(till), sent);
      assert.equal((await get(page, await signed(terms))).status, 200, 'another one pays');
      await till.anvil.mine(6);
      await till.becomes(id, 'SUCCESS');
      assert.equal(await held(terms.payTo), DUE);
      await booksHold();
    });

  test('fault 277: while the gas price is above what was signed it waits; then it pays once', async () => {
    const { id, page } = await till.hostedOrder();
    const terms = await demanded(page);
    const header = await signed(terms);
    const before = await chargesSent(till);
    await mines(false);
    const { reply } = await waiting(page, header);
    for (let block = 0; block < 3; block++) {
      await till.anvil.rpc('anvil_setNextBlockBaseFeePerGas', [toHex(5_000n * GWEI)]);
      await till.anvil.mine(1);
    }
    assert.equal(await held(terms.payTo), 0n);
    const { page: other } = await till.hostedOrder();
    const dear = await get(other, await signed(await demanded(other)));
    assert.equal(dear.status, 409, JSON.stringify(dear.body));
    await till.anvil.rpc('anvil_setNextBlockBaseFeePerGas', [toHex(GWEI)]);
    await till.anvil.mine(1);
    await mines(true);
    assert.equal((await reply).status, 200);
    await till.anvil.mine(6);
    await till.becomes(id, 'SUCCESS');
    assert.deepEqual([(await chargesSent(till)) - before, await held(terms.payTo)], [1, DUE]);
    await booksHold();
  });

  test('the till refuses whatever the facilitator of @x402/evm refuses, and more', async () => {
    const client = createPublicClient({ transport: http(till.anvil.url) });
    const never = (): never => assert.fail('verifying sends nothing');
    const theirs = new ExactEvmScheme({
      getAddresses: () => [HOT],
      readContract: (args) => client.readContract(args),
      verifyTypedData: (args) => client.verifyTypedData(args as Parameters<typeof client.verifyTypedData>[0]),
      getCode: (args) => client.getCode(args),
      ...{ writeContract: never, sendTransaction: never, waitForTransactionReceipt: never },
    });
    const verified = async (header: string, { ...terms }: Requirements): Promise<boolean> => {
      const payment = unpack(header) as unknown as Parameters<typeof theirs.verify>[0];
      const requirements = { scheme: 'exact', ...terms } as unknown as Parameters<typeof theirs.verify>[1];
      return (await theirs.verify(payment, requirements)).isValid;
    };
    const now = BigInt(Math.floor(Date.now() / 1000));
    const used = toHex(1n, { size: 32 });
    const first = await till.hostedOrder();
    await sendsByItself(till, await signed(await demanded(first.page), { nonce: used }));
    const { page } = await till.hostedOrder();
    const terms = await demanded(page);
    const forged = (forgery: Forgery) => signed(terms, forgery);
    const domain = (extra: Partial<Requirements['extra']>) => signed({ ...terms, extra: { ...terms.extra, ...extra } });
    const resigned = async (change: (signature: Hex) => Hex): Promise<string> => {
      const payment = unpack(await signed(terms)) as { payload: { signature: Hex } };
      payment.payload.signature = change(payment.payload.signature);
      return Buffer.from(JSON.stringify(payment)).toString('base64');
    };
    const both: readonly (readonly [string, string])[] = [
      ['a smaller amount', await forged({ value: DUE - 1n })],
      ['a larger amount', await forged({ value: DUE + 1n })],
      ['another receiver', await forged({ to: PAYER.address })],
      ['another chain', await forged({ chainId: 1 })],
      ['another payer', await forged({ from: POOR })],
      ['expired', await forged({ validBefore: now - 1n })],
      ['about to expire', await forged({ validBefore: now + 3n })],
      ['not valid yet', await forged({ validAfter: now + 300n })],
      ['a nonce that is used', await forged({ nonce: used })],
      ["another token's name", await domain({ name: 'USDC' })],
      ['another version', await domain({ version: '1' })],
      ['a signature of zeros', await resigned(() => `0x${'00'.repeat(65)}`)],
      ['a signature that is cut', await resigned((signature) => `0x${signature.slice(2, 128)}`)],
    ];
    for (const [name, header] of both)
      assert.deepEqual([await verified(header, terms), (await get(page, header)).status < 400], [false, false], name);
    const stricter: readonly (readonly [string, string])[] = [
      ['valid for longer than the order', await forged({ validBefore: now + 86_400n })],
      ['expires within two blocks', await forged({ validBefore: now + 20n })],
    ];
    for (const [name, header] of stricter)
      assert.deepEqual([await verified(header, terms), (await get(page, header)).status], [true, 402], name);
    assert.equal(await held(terms.payTo), 0n);
    const valid = await signed(terms);
    assert.deepEqual([await verified(valid, terms), (await get(page, valid)).status], [true, 200]);
    assert.deepEqual(
      [await verified(valid, terms), (await get(page, valid)).status],
      [false, 200],
      'replayed: the same outcome',
    );
    assert.equal(await held(terms.payTo), DUE);
  });
});
