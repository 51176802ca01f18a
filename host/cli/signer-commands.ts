import { writeFileSync } from 'node:fs';
import { TillgateError } from '../../core/index.ts';
import { generateMnemonic } from '../../adapters/wallet/index.ts';
import { openLog } from '../boot/log.ts';
import { openJournal, runSigner } from '../signer/run-signer.ts';
import { readSignerSettings } from '../signer/signer-settings.ts';
import type { SignerSettings } from '../signer/signer-settings.ts';
import type { CommandCall } from './command.ts';

const settingsOf = ({ values }: CommandCall): SignerSettings => readSignerSettings(String(values['config']));

/** `signer`: signs until a signal ends it. */
export async function signer(call: CommandCall): Promise<number> {
  const { json, terminal } = call;
  const log = openLog();
  const running = await runSigner(settingsOf(call), log.logger);
  terminal.out(json ? JSON.stringify({ url: running.url }) : `The signer listens on ${running.url}`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
  await running.close();
  log.flush();
  return 0;
}

/** `signer init`: makes a seed that only the signer has. */
export async function signerInit(call: CommandCall): Promise<number> {
  const { mnemonicFile } = settingsOf(call);
  const words = generateMnemonic();
  try {
    writeFileSync(mnemonicFile, `${words}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new TillgateError('STATE_CONFLICT', `${mnemonicFile} exists already; no seed was created.`);
  }
  const { json, terminal } = call;
  if (json) {
    terminal.out(JSON.stringify({ mnemonic: words }));
    return 0;
  }
  terminal.out(
    'Write these words down and keep them safe. They are shown only once, and anyone who has them can take the money:',
  );
  terminal.out(words);
  return 0;
}

export function signerStop(call: CommandCall): Promise<number> {
  return setStop(call, String(call.values['reason']));
}

export function signerResume(call: CommandCall): Promise<number> {
  return setStop(call, null);
}

async function setStop(call: CommandCall, reason: string | null): Promise<number> {
  const journal = await openJournal(settingsOf(call));
  try {
    await journal.setStop(reason);
  } finally {
    await journal.close();
  }
  const words = reason === null ? 'The signer signs again.' : 'The signer signs nothing until it is resumed.';
  call.terminal.out(call.json ? JSON.stringify({ stopped: reason }) : words);
  return 0;
}
