import { CURRENCY_STOP_CAUSES, formatUnits } from '../../../../core/index.ts';
import type { ChainView, ChainWallet } from '../../../../core/index.ts';
import { z } from 'zod';
import { code, text } from '../../fields.ts';
import { manageOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import type { ManageDeps } from '../deps.ts';
import { amount, signedAmount, wholeOrNull } from '../reply-fields.ts';

const MAX_REASON = 255;

const payoutsSchema = z
  .object({
    enabled: z.boolean().meta({ description: 'False for a watch-only chain' }),
    stopped_reason: z.string().nullable().meta({ description: 'Reason why payouts are stopped; null while they run' }),
  })
  .meta({ id: 'ChainPayouts' });

export const chainSchema = z
  .object({
    code: z.string(),
    name: z.string(),
    height: wholeOrNull('Height of the last block that was read'),
    lag_seconds: z.number().nullable().meta({ description: 'Seconds since the chain was last read up to its head' }),
    trouble: z.string().nullable().meta({ description: 'Problem with the node, if any' }),
    halted_reason: z
      .string()
      .nullable()
      .meta({ description: 'Reason why reading the chain is halted until an operator resumes it' }),
    payouts: payoutsSchema,
    stopped_coins: z
      .array(
        z.object({
          coin: z.string(),
          cause: z.enum(CURRENCY_STOP_CAUSES).meta({
            description:
              'refused: its contract refuses payments; short: less of it is on the chain than in the ledger; insolvent: more of it is owed than can be moved',
          }),
          reason: z.string(),
        }),
      )
      .meta({ description: 'Coins whose payouts are stopped while those of other coins go on' }),
    frozen: z
      .array(
        z.object({
          address: z.string(),
          coin: z.string(),
          amount: amount('Amount at the address'),
          account: z.string().nullable().meta({ description: 'null if it belongs to no order' }),
          reason: z.string().meta({ description: 'Answer of the token contract' }),
        }),
      )
      .meta({ description: 'Coins at deposit addresses that the contract of their token refuses to move' }),
    fee_coin: z.string().nullable().meta({ description: 'Coin that pays the fees; null where the till does not pay' }),
    balances: z
      .array(z.object({ coin: z.string(), amount: signedAmount('Amount on the chain according to the ledger') }))
      .meta({ description: 'Without coins of which there is nothing' }),
    hot_address: z
      .string()
      .nullable()
      .meta({ description: 'Address from which payouts are made; null if there is none' }),
  })
  .meta({ id: 'ChainStatus' });

function chainRecord(
  { code: chain, state, lagMs, pays, payoutStop, currencyStops, frozen, hotAddress, feeCurrency, balances }: ChainView,
  assets: ManageDeps['assets'],
): z.input<typeof chainSchema> {
  return {
    code: chain,
    name: assets.chainName(chain),
    height: state?.cursor?.height ?? null,
    lag_seconds: lagMs === null ? null : Math.round(lagMs / 1000),
    trouble: state?.trouble?.text ?? null,
    halted_reason: state?.haltedReason ?? null,
    payouts: { enabled: pays, stopped_reason: payoutStop },
    stopped_coins: currencyStops.map(({ currency, cause, reason }) => ({ coin: currency, cause, reason })),
    frozen: frozen.map(({ address, currency, units, accountId, reason }) => ({
      address,
      coin: currency,
      amount: formatUnits(units, assets.find(currency)?.decimals ?? 0),
      account: accountId,
      reason,
    })),
    fee_coin: feeCurrency,
    balances: [...balances].map(([coin, units]) => ({
      coin,
      amount: formatUnits(units, assets.find(coin)?.decimals ?? 0),
    })),
    hot_address: hotAddress,
  };
}

export const walletSchema = z
  .object({
    code: z.string(),
    hot_address: z.string().meta({ description: 'Address from which payouts are made' }),
    items: z
      .array(
        z.object({
          coin: z.string(),
          hot: amount('Amount at the hot wallet address').nullable().meta({
            description: 'null on chains that spend coins directly from their addresses',
          }),
          on_chain: amount('Amount at all addresses of the till'),
          expected: signedAmount('Amount according to the ledger'),
          in_flight: amount('Maximum amount that signed transactions may already have spent'),
          shortfall: amount('Missing amount; payouts are stopped unless it is 0'),
        }),
      )
      .readonly(),
  })
  .meta({ id: 'ChainWallet' });

function walletRecord(
  { code: chain, hotAddress, lines }: ChainWallet,
  { assets }: Pick<ManageDeps, 'assets'>,
): z.input<typeof walletSchema> {
  return {
    code: chain,
    hot_address: hotAddress,
    items: lines.map(({ currency, hot, onChain, expected, inFlight, shortfall }) => {
      const shown = (units: bigint): string => formatUnits(units, assets.find(currency)?.decimals ?? 0);
      return {
        coin: currency,
        hot: hot === null ? null : shown(hot),
        on_chain: shown(onChain),
        expected: shown(expected),
        in_flight: shown(inFlight),
        shortfall: shown(shortfall),
      };
    }),
  };
}

const stopWords = 'A key may be stolen.';
const stopReason = `Stopped by an operator: ${stopWords}`;
const params = z.object({ code: code('Chain code; BLN for Lightning') });

/** The operations of chains and their payouts, for admins. */
export const chainOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'listChainStatus',
    method: 'GET',
    path: '/chains',
    summary: 'List chains',
    description: 'Returns how far each chain has been read and whether its payouts run, ordered by code. Admins only.',
    data: z.object({ items: z.array(chainSchema).readonly() }).meta({ id: 'ChainStatusList' }),
    examples: {
      data: {
        items: [
          {
            code: 'ETH',
            name: 'Ethereum',
            height: 21_000_000,
            lag_seconds: 4,
            trouble: null,
            halted_reason: null,
            payouts: { enabled: true, stopped_reason: null },
            stopped_coins: [],
            frozen: [],
            fee_coin: 'ETH',
            balances: [{ coin: 'ETH', amount: '3.5' }],
            hot_address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
          },
        ],
      },
    },
    handler: async ({ actor }, { manage, assets }) => ({
      items: (await manage.chains.list(actor)).map((chain) => chainRecord(chain, assets)),
    }),
  }),
  manageOperation({
    id: 'getChainWallet',
    method: 'GET',
    path: '/chains/{code}/wallet',
    summary: 'Compare the balances of a chain with the ledger',
    description:
      'Returns, for each coin, the on-chain balance and the balance in the ledger, which the till compares before it pays. Reads every address that holds funds according to the ledger, so the reply takes as long as the node needs. Not available for Lightning. Admins only.',
    errors: ['UNSUPPORTED', 'NODE_FAILED', 'NOT_READY'],
    params,
    data: walletSchema,
    examples: {
      data: {
        code: 'ETH',
        hot_address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
        items: [{ coin: 'ETH', hot: '1.25', on_chain: '3.5', expected: '3.5', in_flight: '0', shortfall: '0' }],
      },
    },
    handler: async ({ actor, params: { code: chain } }, { manage, assets }) =>
      walletRecord(await manage.chains.wallet(actor, chain), { assets }),
  }),
  manageOperation({
    id: 'stopPayouts',
    method: 'POST',
    path: '/chains/{code}/payouts/stop',
    summary: 'Stop payouts of a chain',
    description:
      'Signs no more payouts on the chain until they are resumed. Payouts that are already signed continue. Admins only.',
    errors: ['UNSUPPORTED'],
    params,
    body: z.object({ reason: text(MAX_REASON, 'Reason, shown with the chain') }),
    data: payoutsSchema,
    examples: { body: { reason: stopWords }, data: { enabled: true, stopped_reason: stopReason } },
    handler: async ({ actor, params: { code: chain }, body }, { manage }) => {
      await manage.chains.stopPayouts(actor, chain, body.reason);
      return payoutsOf(await manage.chains.list(actor), chain);
    },
  }),
  manageOperation({
    id: 'resumePayouts',
    method: 'POST',
    path: '/chains/{code}/payouts/resume',
    summary: 'Resume payouts of a chain',
    description:
      "Resumes payouts after you have checked the hot wallet. The ledger is adjusted to its balance: an excess is booked as the operator's, a shortfall is charged to the operator's funds. Admins only.",
    errors: ['UNSUPPORTED', 'STATE_CONFLICT', 'NODE_FAILED', 'NOT_READY'],
    params,
    data: payoutsSchema,
    examples: { data: { enabled: true, stopped_reason: null } },
    handler: async ({ actor, params: { code: chain } }, { manage }) => {
      await manage.chains.resumePayouts(actor, chain);
      return payoutsOf(await manage.chains.list(actor), chain);
    },
  }),
];

function payoutsOf(chains: readonly ChainView[], chain: string): z.input<typeof payoutsSchema> {
  const found = chains.find((one) => one.code === chain);
  return { enabled: found?.pays ?? true, stopped_reason: found?.payoutStop ?? null };
}
