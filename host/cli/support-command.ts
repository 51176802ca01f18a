import { writeFile } from 'node:fs/promises';
import { TillgateError } from '../../core/index.ts';
import { makeSupportBundle } from '../support/support-bundle.ts';
import type { CommandCall } from './command.ts';

/** `support-bundle [--out FILE]`: unreadable facts become notes, because a bundle is made when something is broken. */
export async function supportBundle({ values, json, terminal }: CommandCall): Promise<number> {
  const now = Date.now();
  const file = typeof values['out'] === 'string' ? values['out'] : usualName(now);
  const { document, notes } = await makeSupportBundle(now);
  await writeNew(file, `${JSON.stringify(document, null, 2)}\n`);
  if (json) terminal.out(JSON.stringify({ file, notes }));
  else
    for (const line of [
      `${file} is written. Read it before you send it: it is text, and should contain no secret.`,
      ...notes,
    ])
      terminal.out(line);
  return 0;
}

const usualName = (now: number): string =>
  `tillgate-support-${new Date(now).toISOString().slice(0, 19).replaceAll(':', '')}Z.json`;

/** Creates a file that only its owner can read; it never overwrites one. */
async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw code === 'EEXIST'
      ? new TillgateError(
          'STATE_CONFLICT',
          `${file} exists already; nothing was written. Name another file with --out.`,
        )
      : new TillgateError('STATE_CONFLICT', `${file} cannot be written (${code}). Name another file with --out.`);
  }
}
