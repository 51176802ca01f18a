import { encodeFunctionData, getAddress, toHex } from 'viem';
import type { Address, Hex } from 'viem';
import { startAnvil } from '../support/anvil.ts';
import { startOpStack } from '../support/op-stack.ts';
import { deployContract, mint, read } from '../support/contracts.ts';
import type { DeployedContract } from '../support/contracts.ts';
import type { ChainFixture } from './chain-fixture.ts';

const ETHER = 10n ** 18n;
const [CONFIRMATIONS, SPENDABLE] = [3, 5];
const GAS = 200_000n;

/** What a chain of the EVM is started as. */
interface EvmFixtureOptions {
  readonly use: 'ethereum' | 'bsc' | 'evm';
  /** Of the plugin `evm`, with the chain's code. */
  readonly preset?: readonly [name: string, chain: string];
  readonly chainId: number;
  /** The chain's coin. */
  readonly coin: string;
  /** Their symbols and decimals by currency. */
  readonly tokens: Readonly<Record<string, readonly [symbol: string, decimals: number]>>;
}

/** anvil, one block for whoever asks for it, with honest tokens that somebody has plenty of. */
export async function openEvmFixture({
  use,
  preset,
  chainId,
  coin,
  tokens: wanted,
}: EvmFixtureOptions): Promise<ChainFixture> {
  // Marked as safe one block below the head, and as final two below it.
  const args = use === 'ethereum' ? [] : ['--slots-in-an-epoch', '1'];
  const opStack = ['base', 'optimism'].includes(preset?.[0] ?? '') ? await startOpStack({ chainId, args }) : null;
  const anvil = opStack?.anvil ?? (await startAnvil({ chainId, args }));
  const [, payer] = await anvil.rpc<[Address, Address]>('eth_accounts');
  const tokens = new Map<string, DeployedContract>();
  for (const [currency, terms] of Object.entries(wanted)) {
    const token = await deployContract(anvil, 'TestToken', terms);
    await mint(anvil, token, payer, 10n ** 30n);
    tokens.set(currency, token);
  }
  await anvil.setAutomine(false);
  const send = (transaction: { readonly to: string; readonly value?: bigint; readonly data?: Hex }): Promise<Hex> =>
    anvil.rpc<Hex>('eth_sendTransaction', [
      { from: payer, gas: toHex(GAS), ...transaction, value: toHex(transaction.value ?? 0n) },
    ]);
  let given = 0;
  return {
    chain: preset?.[1] ?? (use === 'bsc' ? 'BSC' : 'ETH'),
    plugin: {
      use,
      options: {
        ...(preset === undefined ? {} : { preset: preset[0] }),
        rpcUrls: [opStack?.url ?? anvil.url],
        chainId,
        confirmations: CONFIRMATIONS,
        spendableConfirmations: SPENDABLE,
        finalityBlocks: 64,
        pollIntervalMs: 100,
        // Nobody mines on anvil while a story waits.
        maxLagSeconds: null,
        tokens: settings(wanted, tokens),
      },
    },
    prices: { ETH: '2500', BNB: '600', USDT: '1', USDC: '1', DAI: '1', SHIB: '0.00001', POL: '0.25', EUR: '1.1' },
    confirmations: CONFIRMATIONS,
    spendableConfirmations: SPENDABLE,
    provide: async (hot) => {
      await send({ to: hot, value: ETHER });
      await anvil.mine();
    },
    pay: (to, currency, units) => {
      const token = tokens.get(currency);
      if (token === undefined) return send({ to, value: units });
      return send({
        to: token.address,
        data: encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [to, units] }),
      });
    },
    mine: (blocks) => anvil.mine(blocks),
    height: async () => Number(await anvil.rpc<Hex>('eth_blockNumber')),
    balanceOf: async (address, currency) => {
      const token = tokens.get(currency);
      return token === undefined
        ? BigInt(await anvil.rpc<Hex>('eth_getBalance', [address, 'latest']))
        : read<bigint>(anvil, token, 'balanceOf', [address]);
    },
    feeOf: async (txid) => {
      const { gasUsed, effectiveGasPrice } = await anvil.rpc<Record<'gasUsed' | 'effectiveGasPrice', Hex>>(
        'eth_getTransactionReceipt',
        [txid],
      );
      return BigInt(gasUsed) * BigInt(effectiveGasPrice) + (opStack?.layerOneFee() ?? 0n);
    },
    contractOf: (currency) => (currency === coin ? '' : getAddress(tokens.get(currency)?.address ?? 'unknown')),
    newAddress: async () => getAddress(`0x${(0xd00d0000 + (given += 1)).toString(16).padStart(40, '0')}`),
    stop: () => (opStack ?? anvil).stop(),
  };
}

function settings(wanted: EvmFixtureOptions['tokens'], tokens: ReadonlyMap<string, DeployedContract>): unknown {
  return Object.fromEntries(
    [...tokens].map(([currency, { address }]) => [currency, { address, decimals: wanted[currency]?.[1] }]),
  );
}
