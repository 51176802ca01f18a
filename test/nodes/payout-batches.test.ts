// @parts: bitcoind anvil
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { formatUnits, parseUnits, present } from '../../core/index.ts';
import type { ChainFixture } from '../e2e/chain-fixture.ts';
import { openEvmFixture } from '../e2e/evm-fixture.ts';
import { PairTill } from '../e2e/pair-till.ts';
import { chosenParts } from '../support/parts.ts';
import { waitFor } from '../support/wait.ts';
import { openUtxoPairFixture } from './utxo-pair-fixture.ts';

/** The payees and the kills: `PAYEES=1000 KILLS=20` for a nightly run. */
const ROWS = Number(process.env['PAYEES'] ?? '250');
const KILLS = Number(process.env['KILLS'] ?? '8');
/** The longest life of a process, from its start to its kill, in milliseconds. */
const LONGEST_LIFE_MS = 1_500;
const LAST_LIFE_MS = 400_000;
/** The time between two blocks of the last life, in milliseconds. */
const BLOCK_MS = 2_000;

interface BatchChain {
  readonly currency: string;
  readonly decimals: number;
  /** What the merchant earns before, in US dollars. */
  readonly price: string;
  /** The smallest payment, in units; each further row has one more. */
  readonly units: bigint;
  open(): Promise<ChainFixture>;
  /** The payments that each of these addresses got, in units. */
  received(fixture: ChainFixture, addresses: readonly string[]): Promise<readonly (readonly bigint[])[]>;
}

interface Row {
  readonly line: number;
  readonly address: string;
  readonly status: string;
  readonly fee: string;
  readonly received: string;
  readonly tx_hash: string | null;
}

const BITCOIN: BatchChain = {
  ...{ currency: 'BTC', decimals: 8, price: '30000', units: 20_000n },
  open: () => openUtxoPairFixture('bitcoind'),
  received: async (fixture, addresses) => {
    const outputs = new Map<string, bigint[]>();
    const { daemon } = fixture as Awaited<ReturnType<typeof openUtxoPairFixture>>;
    for (let height = await daemon.height(); height > 110; height--) {
      const block = await daemon.rpc<{ tx: { vout: { value: string; scriptPubKey: { address?: string } }[] }[] }>(
        'getblock',
        await daemon.rpc('getblockhash', height),
        2,
      );
      for (const { value, scriptPubKey } of block.tx.flatMap(({ vout }) => vout)) {
        const { address = '' } = scriptPubKey;
        outputs.set(address, [...(outputs.get(address) ?? []), present(parseUnits(value, 8), 'an amount')]);
      }
    }
    return addresses.map((address) => outputs.get(address) ?? []);
  },
};

const ETHEREUM: BatchChain = {
  ...{ currency: 'ETH', decimals: 18, price: '30000', units: 10n ** 16n },
  open: () => openEvmFixture({ use: 'ethereum', chainId: 31_337, coin: 'ETH', tokens: {} }),
  // A second payment of the same row would double the balance.
  received: (fixture, addresses) =>
    Promise.all(addresses.map(async (address) => [await fixture.balanceOf(address, 'ETH')])),
};

/** A merchant with money that can be spent. */
async function earned({ currency, decimals, price }: BatchChain, fixture: ChainFixture): Promise<PairTill> {
  const till = await PairTill.start(fixture, 'sqlite');
  const { id, address, amount } = await till.order(currency, price);
  await fixture.pay(address, currency, present(parseUnits(amount, decimals), 'the price'));
  await till.mineUntil(async () => (await till.wallet(currency)).available !== '0', `order ${id} to be spendable`);
  return till;
}

const isDone = async (till: PairTill, id: string): Promise<boolean> =>
  (await till.v1('GET', `/payout-batches/${id}`))['status'] === 'DONE';

async function rowsOf(till: PairTill, id: string): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let cursor = ''; ;) {
    const page = await till.v1('GET', `/payout-batches/${id}/rows?limit=100${cursor}`);
    rows.push(...(page['items'] as Row[]));
    const next = page['next_cursor'] as string | null;
    if (next === null) return rows;
    cursor = `&cursor=${next}`;
  }
}

/** Uploads a file and approves it at the command line. @returns the batch's id */
async function approved(till: PairTill, lines: readonly string[]): Promise<string> {
  const batch = await till.v1('POST', '/payout-batches', ['reference,address,coin,amount', ...lines].join('\n'));
  const id = String(batch['id']);
  await till.command('payout-batch', 'approve', id);
  return id;
}

async function paidOnce(chain: BatchChain, note: (text: string) => void): Promise<void> {
  const { currency, decimals } = chain;
  const fixture = await chain.open();
  const till = await earned(chain, fixture);
  try {
    const addresses: string[] = [];
    for (let row = 0; row < ROWS; row++) addresses.push(await fixture.newAddress());
    const single = await approved(till, [
      `single,${await fixture.newAddress()},${currency},${formatUnits(chain.units, decimals)}`,
    ]);
    await till.mineUntil(() => isDone(till, single), 'a single payment to be final');
    const [alone] = await rowsOf(till, single);
    const lines = addresses.map(
      (address, row) => `payee-${row},${address},${currency},${formatUnits(chain.units + BigInt(row), decimals)}`,
    );
    const id = await approved(till, lines);
    for (let kill = 0; kill < KILLS; kill++) {
      await pause(randomInt(LONGEST_LIFE_MS));
      await till.kill();
      await fixture.mine(1);
      await till.startServer();
    }
    await waitFor(
      async () => {
        if (await isDone(till, id)) return true;
        // A block now and then, as on a chain: between two of them the till signs.
        await fixture.mine(1);
        return false;
      },
      {
        timeoutMs: LAST_LIFE_MS,
        intervalMs: BLOCK_MS,
        describe: () => `the batch to be done; the log:\n${till.log.slice(-4_000)}`,
      },
    );
    const rows = await rowsOf(till, id);
    assert.deepEqual(
      rows.map(({ address }) => address),
      addresses,
    );
    const got = await chain.received(fixture, addresses);
    for (const [at, { status, received, line }] of rows.entries()) {
      assert.equal(status, 'CONFIRMED', `line ${line}`);
      assert.deepEqual(got[at], [parseUnits(received, decimals)], `what line ${line} got`);
    }
    await till.booksHold();
    const fees = rows.reduce((sum, { fee }) => sum + present(parseUnits(fee, decimals), 'a fee'), 0n);
    const transactions = new Set(rows.map(({ tx_hash: hash }) => hash)).size;
    note(
      `${ROWS} rows of ${currency} in ${transactions} transactions: ${fees / BigInt(ROWS)} units each, alone ${alone?.fee}`,
    );
  } finally {
    await till.close();
  }
}

for (const part of chosenParts(['bitcoind', 'anvil']))
  test(`${ROWS} payees of a CSV paid exactly once across ${KILLS} kills, on ${part} (fault 495)`, (t) =>
    paidOnce(part === 'bitcoind' ? BITCOIN : ETHEREUM, (text) => t.diagnostic(text)));
