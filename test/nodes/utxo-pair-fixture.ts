import assert from 'node:assert/strict';
import type { ChainFixture } from '../e2e/chain-fixture.ts';
import { startDaemon } from './daemons.ts';
import type { Daemon, DaemonKind } from './daemons.ts';
import { toAmount, toUnits } from './utxo-fixture.ts';

const [CONFIRMATIONS, SPENDABLE, FINAL] = [2, 4, 30];

const COINS: Readonly<Record<DaemonKind, { readonly chain: string; readonly use: string }>> = {
  bitcoind: { chain: 'BTC', use: 'bitcoin' },
  litecoind: { chain: 'LTC', use: 'litecoin' },
};

/** A daemon's chain, with what only its kind of node can do. */
export interface UtxoPairFixture extends ChainFixture {
  readonly daemon: Daemon;
  /** Replaces the last blocks by others, one more, that hold no transaction. */
  forkEmpty(depth: number): Promise<void>;
  /** Has the payer's transaction wait to be mined again. */
  resend(txid: string): Promise<void>;
  /** True while the node's pool holds it. */
  waits(txid: string): Promise<boolean>;
  /** How often it was mined or waits: transactions that pay an address. */
  paymentsTo(address: string): Promise<readonly string[]>;
}

/** bitcoind or litecoind with a purse that pays orders. */
export async function openUtxoPairFixture(kind: DaemonKind): Promise<UtxoPairFixture> {
  const daemon = await startDaemon(kind);
  const { rpc, user, password } = daemon;
  const rpcUrl = daemon.url.replace(/\/\/.*@/, '//');
  const { chain, use } = COINS[kind];
  return {
    daemon,
    chain,
    plugin: {
      use,
      options: {
        rpcUrl,
        rpcUser: user,
        rpcPassword: password,
        network: 'regtest',
        confirmations: CONFIRMATIONS,
        spendableConfirmations: SPENDABLE,
        finalityBlocks: FINAL,
        pollIntervalMs: 100,
      },
    },
    prices: { BTC: '60000', LTC: '80', EUR: '1.1' },
    confirmations: CONFIRMATIONS,
    spendableConfirmations: SPENDABLE,
    provide: () => Promise.resolve(),
    pay: (to, _currency, units) => daemon.pay(to, toAmount(units)),
    mine: async (blocks) => {
      await daemon.mine(blocks);
    },
    height: () => daemon.height(),
    balanceOf: async (address) => toUnits(await rpc<string | number>('getreceivedbyaddress', address, 1)),
    feeOf: (txid) => feeOf(daemon, txid),
    contractOf: () => '',
    newAddress: () => rpc<string>('getnewaddress', '', 'bech32'),
    forkEmpty: (depth) => forkEmpty(daemon, depth),
    resend: async (txid) => {
      const { hex } = await rpc<{ hex: string }>('gettransaction', txid);
      await rpc('sendrawtransaction', hex);
    },
    waits: async (txid) => (await rpc<string[]>('getrawmempool')).includes(txid),
    paymentsTo: async (address) => {
      const found = await rpc<{ txids: string[] }[]>('listreceivedbyaddress', 0, false, false, address);
      return found.flatMap(({ txids }) => txids);
    },
    stop: () => daemon.stop(),
  };
}

interface Input {
  readonly txid: string;
  readonly vout: number;
}
interface Decoded {
  readonly vin: readonly Input[];
  readonly vout: readonly { readonly n: number; readonly value: string | number }[];
}

/** What went in less what came out: the purse knows every transaction of these tests. */
async function feeOf(daemon: Daemon, txid: string): Promise<bigint> {
  const { vin, vout } = await transaction(daemon, txid);
  let fee = 0n;
  for (const { txid: from, vout: number } of vin) {
    const output = (await transaction(daemon, from)).vout.find(({ n }) => n === number);
    assert.ok(output !== undefined);
    fee += toUnits(output.value);
  }
  return vout.reduce((left, { value }) => left - toUnits(value), fee);
}

async function transaction({ rpc }: Daemon, txid: string): Promise<Decoded> {
  const { hex } = await rpc<{ hex: string }>('gettransaction', txid);
  return rpc<Decoded>('decoderawtransaction', hex);
}

async function forkEmpty({ rpc, height }: Daemon, depth: number): Promise<void> {
  await rpc('invalidateblock', await rpc('getblockhash', (await height()) - depth + 1));
  const purse = await rpc<string>('getnewaddress', '', 'bech32');
  for (let count = 0; count <= depth; count++) await rpc('generateblock', purse, []);
}
