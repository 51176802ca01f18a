import { z } from 'zod';
import { AccountKey, definePlugin, parseOptions } from 'tillgate/plugin';
import { AbacusChain } from './abacus-chain.ts';
import { AbacusClient } from './abacus-client.ts';
import { ACCOUNTS, openPayments } from './abacus-payments.ts';

/** The options in the settings; unknown ones are refused by name. */
const schema = z.strictObject({
  url: z.url(),
  /** The network, identified by the hash of its first block. */
  genesis: z.string().optional(),
  /** An account's extended public key; derived from the till's seed by default. */
  xpub: z.string().optional(),
  confirmations: z.number().int().min(1).default(3),
  pollIntervalMs: z.number().int().min(10).default(1_000),
});

/** Abacus, a toy chain: an example of a chain plugin. */
export const abacus = definePlugin({
  name: 'abacus',
  version: '1.0.0',
  requires: '^1.7.0',
  options: (input: z.input<typeof schema>) => parseOptions(schema, input),
  accounts: () => Object.values(ACCOUNTS),
  async setup({ options: { url, genesis, xpub, ...rest }, wallet, signer, addChain, onClose }) {
    const client = new AbacusClient(url);
    const account = xpub ?? (await wallet.extendedPublicKey(ACCOUNTS.deposit));
    // The till could never sweep addresses of another wallet.
    const own =
      signer !== null &&
      new AccountKey(account).walletId === new AccountKey(await signer.extendedPublicKey(ACCOUNTS.deposit)).walletId;
    const payments = own ? await openPayments(client, signer) : null;
    const chain = new AbacusChain({ ...rest, client, genesis: genesis ?? null, xpub: account, payments });
    addChain(chain);
    onClose(() => chain.close());
  },
});

export default abacus;
