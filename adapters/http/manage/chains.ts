import { formatUnits } from '../../../core/index.ts';
import type { ChainView, ChainWallet } from '../../../core/index.ts';
import { z } from 'zod';
import { code, text } from '../fields.ts';
import { manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import type { ManageDeps } from './deps.ts';
import { amount, signedAmount, whole } from './reply-fields.ts';

const MAX_REASON = 255;

const payoutsSchema = z
  .object({
    enabled: z.boolean().meta({ description: 'False for a watch-only chain' }),
    stopped_reason: z.string().nullable().meta({ description: 'null while they run' }),
  })
  .meta({ id: 'ChainPayouts' });

export const chainSchema = z
  .object({
    code: z.string(),
    name: z.string(),
    height: whole('The last block that was read').nullable(),
    lag_seconds: z.number().nullable().meta({ description: 'How long ago it had been read to the head' }),
    trouble: z.string().nullable().meta({ description: 'What is wrong with its node' }),
    halted_reason: z.string().nullable().meta({ description: 'Why following is stopped until an operator resumes it' }),
    payouts: payoutsSchema,
    hot_address: z.string().nullable().meta({ description: 'What payouts are made from; null where there is none' }),
  })
  .meta({ id: 'ChainStatus' });

function chainRecord(
  { code: chain, state, lagMs, pays, payoutStop, hotAddress }: ChainView,
  name: string,
): z.input<typeof chainSchema> {
  return {
    code: chain,
    name,
    height: state?.cursor?.height ?? null,
    lag_seconds: lagMs === null ? null : Math.round(lagMs / 1000),
    trouble: state?.trouble?.text ?? null,
    halted_reason: state?.haltedReason ?? null,
    payouts: { enabled: pays, stopped_reason: payoutStop },
    hot_address: hotAddress,
  };
}

export const walletSchema = z
  .object({
    code: z.string(),
    hot_address: z.string().meta({ description: 'What payouts are made from' }),
    items: z
      .array(
        z.object({
          currency: z.string(),
          hot: amount('At the hot address').nullable().meta({
            description: 'null on chains whose coins are spent where they are',
          }),
          on_chain: amount("At all of the till's addresses"),
          expected: signedAmount('What the books say'),
          in_flight: amount('The most that signed transactions may have taken already'),
          shortfall: amount('What is missing; payouts stop while it is not 0'),
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
        currency,
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

/** The chains and their payouts, for admins (decisions, section 12). */
export const chainOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'listChainStatus',
    method: 'GET',
    path: '/chains',
    summary: 'How far each chain has been read, and whether it pays',
    description: 'By code. Admins only.',
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
            hot_address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
          },
        ],
      },
    },
    handler: async ({ actor }, { manage, assets }) => ({
      items: (await manage.chains.list(actor)).map((chain) => chainRecord(chain, assets.chainName(chain.code))),
    }),
  }),
  manageOperation({
    id: 'getChainWallet',
    method: 'GET',
    path: '/chains/{code}/wallet',
    summary: 'What a chain holds, beside the books',
    description:
      'By currency, as the till compares them before it pays. Every address that the books hold something at is asked for: it takes as long as its node needs. Not for Lightning. Admins only.',
    errors: ['UNSUPPORTED', 'NODE_FAILED', 'NOT_READY'],
    params,
    data: walletSchema,
    examples: {
      data: {
        code: 'ETH',
        hot_address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
        items: [{ currency: 'ETH', hot: '1.25', on_chain: '3.5', expected: '3.5', in_flight: '0', shortfall: '0' }],
      },
    },
    handler: async ({ actor, params: { code: chain } }, { manage, assets }) =>
      walletRecord(await manage.chains.wallet(actor, chain), { assets }),
  }),
  manageOperation({
    id: 'stopPayouts',
    method: 'POST',
    path: '/chains/{code}/payouts/stop',
    summary: 'Stop the payouts of a chain',
    description: 'Nothing more is signed there until they are resumed; what is signed goes on. Admins only.',
    errors: ['UNSUPPORTED'],
    params,
    body: z.object({ reason: text(MAX_REASON, 'The reason; stored, and shown with the chain') }),
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
    summary: 'Resume the payouts of a chain',
    description:
      'After a check of the hot wallet, which is taken as it is: what is beyond the books is booked as the operator’s, what is missing is taken from what is his. Admins only.',
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
