import { z } from 'zod';
import { presentWallet, walletExample, walletSchema } from '../operations/wallets.ts';
import { accountQuery } from './fields.ts';
import { manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';

/** The balances of an account. */
export const walletOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'listAccountWallets',
    method: 'GET',
    path: '/wallets',
    summary: 'Balances',
    description:
      'In each enabled currency, and in any other in which the account has one. Your own account; an admin may name another.',
    errors: ['NOT_FOUND'],
    query: accountQuery,
    data: z.object({ items: z.array(walletSchema).readonly() }).meta({ id: 'WalletList' }),
    examples: { data: { items: [walletExample] } },
    handler: async ({ actor, query }, { manage }) => ({
      items: (await manage.wallets.list(actor, query.account_id)).map(presentWallet),
    }),
  }),
];
