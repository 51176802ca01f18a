import { createHash } from 'node:crypto';
import { concat, encodeFunctionData, getAddress, pad, toHex } from 'viem';
import type { Address, Hash, Hex } from 'viem';
import { EvmChain } from '../../../adapters/chains/index.ts';
import type { EvmChainOptions } from '../../../adapters/chains/index.ts';
import { MnemonicWallet } from '../../../adapters/wallet/index.ts';
import { BUILT_IN_ASSETS } from '../../../core/index.ts';
import type { Asset, ObservedTransfer, WatchList } from '../../../core/index.ts';
import type { Anvil } from '../../support/anvil.ts';
import type { DeployedContract } from '../../support/contracts.ts';
import { receipt } from '../../support/contracts.ts';
import { MemoryLogger } from '../../support/fakes.ts';

export const MNEMONIC = 'test test test test test test test test test test test junk';
export const ETH = BUILT_IN_ASSETS.find(({ currency }) => currency === 'ETH') as Asset;

/** A token's asset. */
export function tokenAsset(currency: string, decimals = 6): Asset {
  return { chain: 'ETH', currency, symbol: 'USDT', decimals, kind: 'token', stable: true };
}

/** A chain on the given nodes, its tokens by currency code. */
export async function evmChain(
  rpcUrls: readonly string[],
  tokens: Readonly<Record<string, string>> = {},
  options: Partial<EvmChainOptions> = {},
): Promise<{ chain: EvmChain; logger: MemoryLogger }> {
  const logger = new MemoryLogger();
  const chain = new EvmChain(
    {
      code: 'ETH',
      name: 'Ethereum',
      chainId: 31337,
      rpcUrls,
      xpub: await new MnemonicWallet(MNEMONIC).extendedPublicKey("m/44'/60'/1'"),
      coin: ETH,
      takesCoin: true,
      tokens: Object.entries(tokens).map(([currency, address]) => ({ asset: tokenAsset(currency), address })),
      confirmations: 12,
      spendableConfirmations: 64,
      finalityBlocks: 64,
      pollIntervalMs: 1_000,
      ...options,
    },
    logger,
  );
  return { chain, logger };
}

let addresses = 0;

/** An unused address. */
export function freshAddress(): Address {
  addresses += 1;
  return getAddress(`0x${createHash('sha256').update(`${process.pid} ${addresses}`).digest('hex').slice(0, 40)}`);
}

export const keyOf = (address: string): string => address.slice(2).toLowerCase();

/** Watches these addresses, for tokens and coins alike. */
export function watching(...watched: readonly string[]): WatchList {
  const keys = new Set(watched.map(keyOf));
  return { has: (key) => keys.has(key), nativeKeys: () => keys };
}

/** The fields of a transfer that tests compare. */
export function brief({ txid, index, currency, units, toKey, block }: ObservedTransfer): Record<string, unknown> {
  return { txid, index, currency, units, toKey, height: block.height };
}

export async function height(anvil: Anvil): Promise<number> {
  return Number(await anvil.rpc<string>('eth_blockNumber'));
}

/** Sends coins from anvil's first account and waits for the block. */
export async function pay(anvil: Anvil, to: string, units: bigint): Promise<Hash> {
  const [from] = await anvil.rpc<string[]>('eth_accounts');
  const hash = await anvil.rpc<Hash>('eth_sendTransaction', [{ from, to, value: toHex(units) }]);
  await receipt(anvil, hash);
  return hash;
}

/** A transaction with several calls of a function, made by the constructor of a contract without other code. */
export async function callAllInOne(
  anvil: Anvil,
  contract: DeployedContract,
  calls: readonly { readonly functionName: string; readonly args: readonly unknown[] }[],
): Promise<Hash> {
  const inputs = calls.map((call) => encodeFunctionData({ abi: contract.abi, ...call }));
  const codeSize = inputs.length * CALL_SIZE + 1;
  let offset = codeSize;
  const code = inputs.map((input) => {
    const length = (input.length - 2) / 2;
    const part = assembleCall(contract.address, offset, length);
    offset += length;
    return part;
  });
  const [from] = await anvil.rpc<string[]>('eth_accounts');
  const data = concat([...code, '0x00', ...inputs]);
  const hash = await anvil.rpc<Hash>('eth_sendTransaction', [{ from, data, gas: '0x1e8480' }]);
  await receipt(anvil, hash);
  return hash;
}

const CALL_SIZE = 44;

/** Copies the input from behind the code, and calls; the answer is dropped. */
function assembleCall(to: Address, offset: number, length: number): Hex {
  const two = (value: number): Hex => pad(toHex(value), { size: 2 });
  const copy = concat(['0x61', two(length), '0x61', two(offset), '0x6000', '0x39']);
  const call = concat([
    '0x6000',
    '0x6000',
    '0x61',
    two(length),
    '0x6000',
    '0x6000',
    '0x73',
    to,
    '0x5a',
    '0xf1',
    '0x50',
  ]);
  return concat([copy, call]);
}
