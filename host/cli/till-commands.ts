import { addAuditRow, OPERATOR, resumeChain, rewindChain, TillgateError } from '../../core/index.ts';
import type { AuditEntry } from '../../core/index.ts';
import type { HostRuntime } from '../boot/open.ts';
import { hotAddresses } from '../wallet/hot-addresses.ts';
import { recoveryOf } from '../wallet/recovery.ts';
import { openStoredWallet } from '../boot/runtime.ts';
import { forgetWallet, initWallet } from '../wallet/wallet.ts';
import type { CommandCall } from './command.ts';
import { heightOption } from './options.ts';
import { withRuntime, withTill } from './with-till.ts';

export async function migrate({ json, terminal }: CommandCall): Promise<number> {
  // Opening a database brings its schema up to date.
  await withRuntime(async () => undefined);
  terminal.out(json ? JSON.stringify({ ok: true }) : 'The database is up to date.');
  return 0;
}

/**
 * `wallet init`: shows the words before it stores them, so that a killed command leaves no seed that nobody has seen.
 */
export async function walletInit({ json, terminal }: CommandCall): Promise<number> {
  const show = (mnemonic: string): void => {
    if (json) terminal.out(JSON.stringify({ mnemonic }));
    else for (const line of [SHOWN_ONCE, mnemonic]) terminal.out(line);
  };
  const mnemonic = await withRuntime(async ({ config, storage, vault }) => {
    if (config.secrets.mnemonic !== null)
      throw new TillgateError('STATE_CONFLICT', 'The seed comes from TILLGATE_MNEMONIC; no seed was created.');
    if (config.signer !== null)
      throw new TillgateError(
        'STATE_CONFLICT',
        'The signer has the seed (`tillgate signer init`); no seed was created.',
      );
    return initWallet({ documents: storage.documents, vault }, show);
  });
  if (mnemonic === null)
    throw new TillgateError('STATE_CONFLICT', 'There is a wallet already; its words are not shown again.');
  return 0;
}

const SHOWN_ONCE =
  'Write these words down and keep them safe. They are shown only once, and anyone who has them can take the money:';

/** `wallet forget`: removes the stored seed once the signer has the same one. */
export async function walletForget({ json, terminal }: CommandCall): Promise<number> {
  await withRuntime(async ({ storage, vault, signer }) => {
    if (signer === undefined || signer === null)
      throw new TillgateError('STATE_CONFLICT', 'The setting signer is missing, so the stored seed is the only one.');
    await forgetWallet({ documents: storage.documents, vault, signer });
  });
  terminal.out(
    json
      ? JSON.stringify({ ok: true })
      : 'The stored seed is removed. Earlier backups of the database still contain it, sealed.',
  );
  return 0;
}

export async function walletShow({ json, terminal }: CommandCall): Promise<number> {
  const addresses = await withRuntime(hotAddresses);
  if (json) terminal.out(JSON.stringify({ addresses }));
  else
    for (const { chain, path, address } of addresses) terminal.out(`${chain.padEnd(5)} ${path.padEnd(18)} ${address}`);
  return 0;
}

/** `wallet recovery`: shows the data that another wallet program needs besides the seed, never the seed itself. */
export async function walletRecovery({ json, terminal }: CommandCall): Promise<number> {
  const found = await withTill(async ({ chains, storage }, runtime) => {
    const { wallet } = await openStoredWallet(runtime);
    return recoveryOf(chains.values(), { storage, wallet });
  });
  if (json) {
    terminal.out(JSON.stringify({ chains: found }));
    return 0;
  }
  terminal.out(
    'Besides the seed words (BIP-39, no passphrase), which the signer has if there is one, another wallet needs:',
  );
  for (const { chain, hot, deposits } of found) {
    const indexes = deposits.ranges.map(([first, last]) => `${first} to ${last}`).join(', ');
    terminal.out(`${chain}  hot wallet and change: ${hot.path}${hot.descriptor === null ? '' : `  ${hot.descriptor}`}`);
    terminal.out(
      `${chain}  deposits: ${deposits.path}, i from ${indexes === '' ? 'none yet' : indexes}${deposits.descriptor === null ? '' : `  ${deposits.descriptor}`}`,
    );
  }
  return 0;
}

export async function chainResume({ operands, values, json, terminal }: CommandCall): Promise<number> {
  const chain = operands[0] ?? '';
  const from = heightOption(values['from'], '--from');
  if (from !== undefined) return chainRewind({ chain, from, json, terminal });
  const reason = await withRuntime(async (runtime) => {
    const halted = await resumeChain(runtime.storage, chain);
    await leaveResume(runtime, chain, { haltedReason: { from: halted, to: null } });
    return halted;
  });
  terminal.out(
    json ? JSON.stringify({ chain, reason }) : `${chain} is resumed. It had been stopped because: ${reason}`,
  );
  return 0;
}

async function chainRewind({
  chain,
  from,
  json,
  terminal,
}: Pick<CommandCall, 'json' | 'terminal'> & { readonly chain: string; readonly from: number }): Promise<number> {
  const { reason, height, deposits } = await withTill(async (till, runtime) => {
    const adapter = till.chains.get(chain);
    if (adapter === undefined) throw new TillgateError('NOT_FOUND', `The chain ${chain} is not configured.`);
    const rewound = await rewindChain(adapter, from, { ...till, ids: runtime.ids });
    await leaveResume(runtime, chain, {
      haltedReason: { from: rewound.reason, to: null },
      readAgainAfter: { from: null, to: rewound.height },
    });
    return rewound;
  });
  terminal.out(
    json
      ? JSON.stringify({ chain, reason, height, deposits })
      : `${chain} is read again after block ${height}; ${deposits} deposits are reversed until they are found there. It had been stopped because: ${reason}`,
  );
  return 0;
}

async function leaveResume(
  { storage, ids, clock }: HostRuntime,
  chain: string,
  changes: NonNullable<AuditEntry['changes']>,
): Promise<void> {
  await storage.transaction(async (tx) =>
    addAuditRow({ ids, clock }, tx, OPERATOR, { action: 'chain.resume', accountId: null, subjectId: chain, changes }),
  );
}
