import { leaveTrace, OPERATOR, resumeChain, TillgateError } from '../../core/index.ts';
import { hotAddresses } from '../hot-addresses.ts';
import { initWallet } from '../wallet.ts';
import type { CommandCall } from './command.ts';
import { withBase } from './with-base.ts';

/** `migrate` */
export async function migrate({ json, terminal }: CommandCall): Promise<number> {
  // Opening a database brings its schema up to date.
  await withBase(async () => undefined);
  terminal.out(json ? JSON.stringify({ ok: true }) : 'The database is up to date.');
  return 0;
}

/** `wallet init` */
export async function walletInit({ json, terminal }: CommandCall): Promise<number> {
  const mnemonic = await withBase(async ({ config, storage, vault }) => {
    if (config.secrets.mnemonic !== null) throw new TillgateError('STATE_CONFLICT', 'The seed is given in TILLGATE_MNEMONIC; nothing was made.');
    return initWallet({ documents: storage.documents, vault });
  });
  if (mnemonic === null) throw new TillgateError('STATE_CONFLICT', 'There is a wallet already; its words are not shown again.');
  if (json) {
    terminal.out(JSON.stringify({ mnemonic }));
    return 0;
  }
  terminal.out('Write these words down and keep them safe. They are shown this once, and whoever has them has the money:');
  terminal.out(mnemonic);
  return 0;
}

/** `wallet show` */
export async function walletShow({ json, terminal }: CommandCall): Promise<number> {
  const addresses = await withBase(hotAddresses);
  if (json) terminal.out(JSON.stringify({ addresses }));
  else for (const { chain, path, address } of addresses) terminal.out(`${chain.padEnd(5)} ${path.padEnd(18)} ${address}`);
  return 0;
}

/** `chain resume CODE` */
export async function chainResume({ operands, json, terminal }: CommandCall): Promise<number> {
  const chain = operands[0] ?? '';
  const reason = await withBase(async ({ storage, ids, clock }) => {
    const halted = await resumeChain(storage, chain);
    const changes = { halted_reason: { from: halted, to: null } };
    await storage.transaction((tx) => leaveTrace({ ids, clock }, tx, OPERATOR, { action: 'chain.resume', accountId: null, subjectId: chain, changes }));
    return halted;
  });
  terminal.out(json ? JSON.stringify({ chain, reason }) : `${chain} goes on. It had been stopped because: ${reason}`);
  return 0;
}
