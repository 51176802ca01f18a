import { z } from 'zod';
import { presentWallet, walletExample, walletSchema } from '../../operations/wallets.ts';
import { accountQuery } from '../fields.ts';
import { manageOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';

/** The operations of an account's balances. */
export const walletOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'listAccountWallets',
    method: 'GET',
    path: '/wallets',
    summary: 'List balances',
    description:
      'Returns the balance in each enabled currency, and in any other currency in which the account has a balance. Defaults to your own account; admins can name another.',
    errors: ['NOT_FOUND'],
    query: accountQuery,
    data: z.object({ items: z.array(walletSchema).readonly() }).meta({ id: 'WalletList' }),
    examples: { data: { items: [walletExample] } },
    handler: async ({ actor, query }, { manage }) => ({
      items: (await manage.wallets.list(actor, query.account_id)).map(presentWallet),
    }),
  }),
];
