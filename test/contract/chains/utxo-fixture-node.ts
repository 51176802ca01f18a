import { UtxoChain } from '../../../adapters/chains/index.ts';
import type { UtxoChainOptions } from '../../../adapters/chains/index.ts';
import { definition as bitcoin } from '../../../plugins/bitcoin/definition.ts';
import { MnemonicWallet } from '../../../adapters/wallet/index.ts';
import { BUILT_IN_ASSETS, present } from '../../../core/index.ts';
import type { WatchList } from '../../../core/index.ts';
import { MemoryLogger } from '../../support/fakes.ts';
import { FIXTURES, MNEMONIC } from '../../unit/chains/utxo-fixtures.ts';
import { startProxy } from './rpc-proxy.ts';
import type { Interference, RpcProxy } from './rpc-proxy.ts';

type Answer = ReturnType<Interference>;

const { blocks, genesis } = FIXTURES.bitcoin;
const refused = (code: number, message: string): Answer => ({ error: { code, message } });

/** The last blocks of a real chain, in Bitcoin Core's answers; tests supply everything else. */
function honest({ method, params }: Parameters<Interference>[0]): Answer {
  const [first, second] = params;
  const block = blocks.find(({ hash, height }) => hash === first || height === first);
  switch (method) {
    case 'getblockcount':
      return { result: blocks.at(-1)?.height };
    case 'getbestblockhash':
      return { result: blocks.at(-1)?.hash };
    case 'getblockhash':
      if (first === 0) return { result: genesis };
      return block === undefined ? refused(-8, 'Block height out of range') : { result: block.hash };
    case 'getblockheader':
      return block === undefined ? refused(-5, 'Block not found') : { result: headerOf(block.hex, block.height) };
    case 'getblock':
      return block === undefined || second !== 0 ? refused(-5, 'Block not found') : { result: block.hex };
    case 'estimatesmartfee':
      return { result: { errors: ['Insufficient data or no feerate found'], blocks: 2 } };
    case 'getmempoolinfo':
      return { result: { mempoolminfee: 0.00001 } };
    case 'getblockchaininfo':
      return { result: { blocks: blocks.at(-1)?.height, headers: blocks.at(-1)?.height, initialblockdownload: false } };
    case 'getnetworkinfo':
      return { result: { incrementalfee: 0.00001, networkactive: true, connections: 8 } };
    case 'getmempoolentry':
      return refused(-5, 'Transaction not in mempool');
    case 'gettxout':
      return { result: null };
    default:
      return refused(-32601, 'Method not found');
  }
}

function headerOf(hex: string, height: number): Readonly<Record<string, unknown>> {
  const bytes = Buffer.from(hex, 'hex');
  const hash = (from: number): string =>
    Buffer.from(bytes.subarray(from, from + 32))
      .reverse()
      .toString('hex');
  return {
    height,
    version: bytes.readInt32LE(0),
    previousblockhash: hash(4),
    merkleroot: hash(36),
    time: bytes.readUInt32LE(68),
    bits: bytes.readUInt32LE(72).toString(16).padStart(8, '0'),
    nonce: bytes.readUInt32LE(76),
  };
}

/** A node with the blocks of the fixtures; `change` may answer first. */
export function startFixtureNode(
  change: Interference = () => null,
  raw?: Parameters<typeof startProxy>[2],
): Promise<RpcProxy> {
  return startProxy('', (call) => change(call) ?? honest(call), raw);
}

/** A chain of Bitcoin's regression test network on these nodes. */
export async function utxoChain(
  rpcUrls: readonly string[],
  options: Partial<UtxoChainOptions> = {},
): Promise<{ chain: UtxoChain; logger: MemoryLogger }> {
  const logger = new MemoryLogger();
  const signer = new MnemonicWallet(MNEMONIC);
  const { accounts } = bitcoin.networks.regtest;
  const chain = new UtxoChain(
    {
      coin: bitcoin,
      network: 'regtest',
      asset: present(
        BUILT_IN_ASSETS.find(({ currency }) => currency === 'BTC'),
        'BTC',
      ),
      rpcUrls,
      xpub: await signer.extendedPublicKey(accounts.deposit),
      spending: { signer, hotXpub: await signer.extendedPublicKey(accounts.hot) },
      confirmations: 1,
      tiers: [],
      spendableConfirmations: 6,
      finalityBlocks: 100,
      pollIntervalMs: 1_000,
      feeRates: { min: 1_000n, max: 500_000n, fallback: 10_000n, dust: 10_000n, consolidate: 3_000n },
      feeTargetBlocks: 6,
      bumpAfterMs: 1_800_000,
      ...options,
    },
    logger,
  );
  return { chain, logger };
}

export function watching(...keys: readonly string[]): WatchList {
  const set = new Set(keys);
  return { has: (key) => set.has(key), nativeKeys: () => set };
}
