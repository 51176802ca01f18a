import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encodeFunctionData, getAddress, toHex } from 'viem';
import type { Address, Hex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import type { ChainHarness, ChainTricks } from '../../../adapters/testing/index.ts';
import type { ChainAdapter, PayingAddress } from '../../../core/index.ts';
import { startAnvil } from '../../support/anvil.ts';
import type { Anvil } from '../../support/anvil.ts';
import { deployContract, mint } from '../../support/contracts.ts';
import type { DeployedContract } from '../../support/contracts.ts';
import { agreeEvmPrice } from '../../../adapters/chains/evm/agree-price.ts';
import { NodeGroup, QuorumChain } from '../../../adapters/chains/quorum/index.ts';
import { MnemonicWallet } from '../../../adapters/wallet/index.ts';
import { present } from '../../../core/index.ts';
import { evm } from '../../../plugins/evm/index.ts';
import { EVM_PRESETS } from '../../../plugins/evm/presets.ts';
import type { EvmPresetName } from '../../../plugins/evm/presets.ts';
import { FakeClock, MemoryLogger } from '../../support/fakes.ts';
import { startOpStack } from '../../support/op-stack.ts';
import { TILL_WORDS, payingChain } from '../chains/evm-paying.ts';
import { callAllInOne } from '../chains/evm-support.ts';

const ETHER = 10n ** 18n;
const GWEI = 10n ** 9n;
const PRICE = 5n * GWEI;
/** Rival blocks have different proposers. */
const FIRST_PROPOSER = '0x0000000000000000000000000000000000000101';
const SECOND_PROPOSER = '0x0000000000000000000000000000000000000100';

/** The faults of a till's nodes. */
interface Manners {
  down: boolean;
  lag: number;
  lies: boolean;
  losesReplies: boolean;
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/**
 * The kit's control of an EVM chain: anvil behind a proxy that can misbehave.
 *
 * @param nodes - the quorum
 */
export function evmHarness(currency: 'ETH' | 'USDT-ERC20', nodes: 1 | 2 = 1): ChainHarness {
  return harnessOf({
    currency,
    nodes,
    coin: currency === 'ETH',
    native: 'ETH',
    hotPath: `m/44'/60'/0'/0/0`,
    start: startAnvil,
    reach: reachPaying,
  });
}

/** The same on the chain of a preset of the plugin `evm`, opened by the plugin. */
export function presetHarness(name: EvmPresetName, coin: boolean): ChainHarness {
  const preset = EVM_PRESETS[name];
  const currency = coin ? preset.coin.currency : `USDC-${preset.code}`;
  const start = async ({ chainId = preset.chainId } = {}): Promise<Anvil> => {
    const args = ['--slots-in-an-epoch', '1'];
    if (!('layerOneFee' in preset)) return startAnvil({ chainId, args });
    return (await startOpStack({ chainId, args })).shown;
  };
  const reach = (url: string, token: string): Promise<ChainAdapter> =>
    openPreset({ preset: name, rpcUrls: [url], tokens: { [`USDC-${preset.code}`]: { address: token, decimals: 6 } } });
  const hotPath = `${preset.accounts.hot}/0/0` as HarnessParts['hotPath'];
  return harnessOf({ currency, nodes: 1, coin, native: preset.coin.currency, hotPath, start, reach });
}

interface HarnessParts {
  readonly currency: string;
  readonly nodes: 1 | 2;
  readonly coin: boolean;
  readonly native: string;
  readonly hotPath: `m/44'/60'/${string}`;
  start(options?: { readonly chainId?: number }): Promise<Anvil>;
  reach(url: string, token: string): Promise<ChainAdapter>;
}

const reachPaying = async (url: string, token: string): Promise<ChainAdapter> =>
  (await payingChain([url], { 'USDT-ERC20': getAddress(token) })).chain;

/** The chain as set up by the plugin, with the till's mnemonic. */
async function openPreset(input: unknown): Promise<ChainAdapter> {
  const chains: ChainAdapter[] = [];
  const wallet = new MnemonicWallet(TILL_WORDS);
  await evm.plugin.setup({
    ...{
      options: evm.plugin.options(input),
      logger: new MemoryLogger(),
      clock: new FakeClock(),
      wallet,
      signer: wallet,
    },
    documents: { read: async () => null, write: async () => false },
    addChain: (chain) => void chains.push(chain),
    addLightning: () => undefined,
    addRateSource: () => undefined,
    addNotifier: () => undefined,
    onClose: () => undefined,
  });
  return present(chains[0], 'the chain');
}

function harnessOf({ currency, nodes, coin, native, hotPath, start, reach }: HarnessParts): ChainHarness {
  return {
    lacks: {
      expiry: 'what was signed stays good as long as its nonce is free',
      ...(coin
        ? {
            batch: 'a transaction pays coins once',
            failure: 'coins sent to an address without code always arrive',
            counterfeit: 'there is one coin',
          }
        : {}),
    },
    open: async () => {
      const [anvil, other] = [await start(), await startAnvil({ chainId: 5 })];
      const token = await deployContract(anvil, 'TestToken', ['USDT', 6]);
      const twin = await deployContract(anvil, 'TestToken', ['USDT', 6]);
      const [payer] = (await anvil.rpc<Address[]>('eth_accounts')) as [Address];
      for (const one of [token, twin]) await mint(anvil, one, payer, 10n ** 20n);
      const chameleon = await deployContract(anvil, 'Chameleon');
      const forwarder = await deployContract(anvil, 'Forwarder');
      await mint(anvil, token, chameleon.address, 10n ** 20n);
      await anvil.rpc('anvil_setBalance', [chameleon.address, toHex(100n * ETHER)]);
      await anvil.mine(5);
      await anvil.setAutomine(false);
      const manners: Manners = { down: false, lag: 0, lies: false, losesReplies: false };
      const door = await openDoor(anvil, manners);
      const opened: ChainAdapter[] = [];
      const reached = (url: string): Promise<ChainAdapter> => reach(url, getAddress(token.address));
      const open = async (url: string): Promise<ChainAdapter> => {
        const chain = nodes === 1 ? await reached(url) : byTwo([await reached(url), await reached(url)]);
        opened.push(chain);
        return chain;
      };
      const contracts = { token: coin ? null : token, twin, chameleon, forwarder };
      const fixture: Fixture = { anvil, hotPath, manners, payer, ...contracts };
      return {
        chain: await open(door.url),
        currency,
        units: coin ? ETHER / 1_000n : 1_000_000n,
        reopen: () => open(door.url),
        pay: (to, units) => send(fixture, to, units),
        mine: (blocks) => anvil.mine(blocks),
        tricks: {
          ...tricksOf(fixture),
          ...(coin ? {} : tokenTricksOf(fixture, token)),
          byContract: async (to, units) => {
            await forward(fixture, to, units);
            return native;
          },
          otherNetwork: () => open(other.url),
        },
        close: async () => {
          await Promise.all(opened.map((chain) => chain.close()));
          await Promise.all([door.stop(), anvil.stop(), other.stop()]);
        },
      };
    },
  };
}

/** A chain on which both must agree. */
function byTwo(chains: readonly [ChainAdapter, ChainAdapter]): ChainAdapter {
  const group = new NodeGroup(
    chains.map((chain, at) => ({ host: `node${at}.example`, chain })),
    chains.length,
    new FakeClock(),
  );
  const hosts = group.nodes.map(({ host }) => host);
  return new QuorumChain(group, { hosts, quorum: chains.length, mainNetwork: false, insecure: [] }, agreeEvmPrice);
}

interface Fixture {
  readonly anvil: Anvil;
  readonly hotPath: HarnessParts['hotPath'];
  readonly manners: Manners;
  readonly payer: Address;
  /** `null` where native coins are paid. */
  readonly token: DeployedContract | null;
  readonly twin: DeployedContract;
  readonly chameleon: DeployedContract;
  readonly forwarder: DeployedContract;
}

interface SendOptions {
  readonly token?: DeployedContract | null;
  readonly nonce?: number;
  readonly gasPrice?: bigint;
}

function send(
  fixture: Fixture,
  to: string,
  units: bigint,
  { token = fixture.token, nonce, gasPrice = PRICE }: SendOptions = {},
): Promise<string> {
  const what =
    token === null
      ? { to, value: toHex(units) }
      : {
          to: token.address,
          data: encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [to, units] }),
        };
  const order = nonce === undefined ? {} : { nonce: toHex(nonce) };
  return fixture.anvil.rpc('eth_sendTransaction', [
    { from: fixture.payer, ...what, ...order, gas: toHex(200_000), gasPrice: toHex(gasPrice) },
  ]);
}

function forward({ anvil, payer, forwarder }: Fixture, to: string, units: bigint): Promise<string> {
  const data = encodeFunctionData({ abi: forwarder.abi, functionName: 'forward', args: [to] });
  const call = { from: payer, to: forwarder.address, data, value: toHex(units), gas: toHex(200_000) };
  return anvil.rpc('eth_sendTransaction', [{ ...call, gasPrice: toHex(PRICE) }]);
}

function tricksOf(fixture: Fixture): Partial<ChainTricks> {
  const { anvil, manners, payer, token, chameleon } = fixture;
  return {
    replacement: async (to, units) => {
      const nonce = Number(await anvil.rpc<Hex>('eth_getTransactionCount', [payer, 'pending']));
      const replaced = await send(fixture, to, units, { nonce });
      await send(fixture, payer, units, { nonce, gasPrice: PRICE * 2n });
      return replaced;
    },
    blockDependent: async (to, units) => {
      await anvil.rpc('anvil_setCoinbase', [FIRST_PROPOSER]);
      const few = units / 3n;
      const data =
        token === null
          ? encodeFunctionData({ abi: chameleon.abi, functionName: 'payCoin', args: [to, units, few] })
          : encodeFunctionData({
              abi: chameleon.abi,
              functionName: 'pay',
              args: [
                [token.address, token.address],
                [to, to],
                [units, few],
              ],
            });
      const call = { from: payer, to: chameleon.address, data, gas: toHex(200_000), gasPrice: toHex(PRICE) };
      return anvil.rpc('eth_sendTransaction', [call]);
    },
    reorganisation: async (depth, outcome) => {
      await anvil.rpc('anvil_setCoinbase', [SECOND_PROPOSER]);
      const raws = outcome === 'again' ? await topTransactions(anvil, depth) : [];
      await anvil.rpc('anvil_reorg', [depth, raws.map((raw) => [raw, 0])]);
      await anvil.rpc('anvil_dropAllTransactions');
      await anvil.mine();
    },
    outage: (on) => void (manners.down = on),
    lag: (blocks) => void (manners.lag = blocks),
    lies: (on) => void (manners.lies = on),
    lostReplies: (on) => void (manners.losesReplies = on),
    forgetting: async (txid) => {
      await anvil.rpc('anvil_dropTransaction', [txid]);
    },
    fund: async ({ address }: PayingAddress, units) => {
      const held = BigInt(await anvil.rpc<Hex>('eth_getBalance', [address, 'latest']));
      await anvil.rpc('anvil_setBalance', [address, toHex(held + ETHER + (token === null ? units : 0n))]);
      if (token !== null) await mint(anvil, token, address as Address, units);
      return [];
    },
    rival: async ({ nonce }) => {
      const fees = { gas: 21_000n, maxFeePerGas: 50n * GWEI, maxPriorityFeePerGas: GWEI };
      const raw = await mnemonicToAccount(TILL_WORDS, { path: fixture.hotPath }).signTransaction({
        type: 'eip1559',
        chainId: anvil.chainId,
        nonce: nonce ?? 0,
        to: payer,
        value: 3n,
        ...fees,
      });
      const txid = await anvil.rpc<string>('eth_sendRawTransaction', [raw]);
      await anvil.mine();
      return txid;
    },
  };
}

function tokenTricksOf(fixture: Fixture, token: DeployedContract): Partial<ChainTricks> {
  const { anvil, twin } = fixture;
  return {
    batch: async (to, units) => {
      await anvil.setAutomine(true);
      const txid = await callAllInOne(
        anvil,
        token,
        units.map((amount) => ({ functionName: 'mint', args: [to, amount] })),
      );
      await anvil.setAutomine(false);
      return txid;
    },
    failure: (to) => send(fixture, to, 10n ** 30n),
    counterfeit: (to, units) => send(fixture, to, units, { token: twin }),
  };
}

/** The signed bytes of every transaction in the top blocks, in order. */
async function topTransactions(anvil: Anvil, depth: number): Promise<readonly Hex[]> {
  const head = Number(await anvil.rpc<Hex>('eth_blockNumber'));
  const raws: Hex[] = [];
  for (let height = head - depth + 1; height <= head; height++) {
    const { transactions } = await anvil.rpc<{ transactions: Hex[] }>('eth_getBlockByNumber', [toHex(height), false]);
    for (const txid of transactions) raws.push(await anvil.rpc<Hex>('eth_getRawTransactionByHash', [txid]));
  }
  return raws;
}

/** A node as the till sees it: anvil with the present faults. */
async function openDoor(anvil: Anvil, manners: Manners): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const calls = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[];
      if (manners.down) return void response.writeHead(503).end();
      const answer = Array.isArray(calls)
        ? await Promise.all(calls.map((call) => answerTo(anvil, manners, call)))
        : await answerTo(anvil, manners, calls);
      const sends = [calls].flat().some(({ method }) => method === 'eth_sendRawTransaction');
      if (sends && manners.losesReplies) return void request.socket.destroy();
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

async function answerTo(anvil: Anvil, { lag, lies }: Manners, { id, method, params }: Call): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: await shownParams(anvil, lag, method, params) });
  const reply = await fetch(anvil.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const answer = (await reply.json()) as { result?: { parentHash?: string } | null };
  if (lies && method === 'eth_getBlockByNumber' && answer.result != null)
    answer.result.parentHash = toHex(7n, { size: 32 });
  return answer;
}

/** A lagging node returns an older block as the latest one, and has none above it. */
async function shownParams(
  anvil: Anvil,
  lag: number,
  method: string,
  params: readonly unknown[],
): Promise<readonly unknown[]> {
  if (lag === 0 || method !== 'eth_getBlockByNumber') return params;
  const shown = Number(await anvil.rpc<Hex>('eth_blockNumber')) - lag;
  const [block, ...rest] = params;
  if (block === 'latest') return [toHex(shown), ...rest];
  return Number(block) > shown ? [toHex(shown + 1_000_000), ...rest] : params;
}
