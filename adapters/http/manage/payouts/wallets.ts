import { formatUnits } from '../../../../core/index.ts';
import type { WalletBalance } from '../../../../core/index.ts';
import { z } from 'zod';
import { accountQuery } from '../fields.ts';
import { apiOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { amount } from '../reply-fields.ts';

export const walletSchema = z
  .object({
    chain: z.string(),
    coin: z.string(),
    available: amount('Amount that can be spent now'),
    pending: amount('Amount credited but not yet spendable'),
    locked: amount(
      "Amount reserved for payouts in progress, pull payments and payout batches, and coins that their token's contract refuses to move",
    ),
    total: amount('Sum of available, pending and locked'),
  })
  .meta({ id: 'ManagedWallet' });

function walletRecord({
  asset,
  available,
  pending,
  claims,
  reserved,
  frozen,
}: WalletBalance): z.input<typeof walletSchema> {
  const { chain, currency, decimals } = asset;
  const text = (units: bigint): string => formatUnits(units, decimals);
  return {
    chain,
    coin: currency,
    available: text(available),
    pending: text(pending),
    locked: text(claims + reserved + frozen),
    total: text(available + pending + claims + reserved + frozen),
  };
}

const example = {
  chain: 'ETH',
  coin: 'USDT-ERC20',
  available: '899.5',
  pending: '25',
  locked: '100.5',
  total: '1025',
} as const satisfies z.input<typeof walletSchema>;

/** The operations of an account's balances. */
export const walletOperations: readonly ManageOperation[] = [
  apiOperation({
    offer: { name: 'wallets.list', scope: 'read' },
    id: 'listAccountWallets',
    method: 'GET',
    path: '/wallets',
    summary: 'List balances',
    description:
      'Returns the balance in each enabled coin, and in any other coin in which the account has a balance. Defaults to your own account; admins can name another.',
    errors: ['NOT_FOUND'],
    query: accountQuery,
    data: z.object({ items: z.array(walletSchema).readonly() }).meta({ id: 'WalletList' }),
    examples: { data: { items: [example] } },
    handler: async ({ actor, query }, { manage }) => ({
      items: (await manage.wallets.list(actor, query.account)).map(walletRecord),
    }),
  }),
];
