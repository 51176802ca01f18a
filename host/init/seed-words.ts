import { randomInt } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { TillgateError } from '../../core/index.ts';
import { askUntil } from './init-answers.ts';
import type { Ask } from './init-answers.ts';
import { writeOnce } from './write-once.ts';

/** The folder of secrets, beside the settings. */
export const SECRETS_FOLDER = 'secrets';
const FILE_NAME = 'seed-words';
const ASKED_WORDS = 3;
const WORDS_IN_A_LINE = 6;

/** The words of a seed with their numbers, some to a line, so that none is skipped while they are written down. */
export function numberedWords(mnemonic: string): string[] {
  const words = mnemonic.split(' ').map((word, index) => `${String(index + 1).padStart(2)} ${word}`.padEnd(12));
  const lines = [];
  for (let at = 0; at < words.length; at += WORDS_IN_A_LINE)
    lines.push(
      words
        .slice(at, at + WORDS_IN_A_LINE)
        .join(' ')
        .trimEnd(),
    );
  return lines;
}

/**
 * Asks for some words of a seed, to check that they were written down; again while a word is wrong.
 *
 * @param pick - a random whole number below its argument
 * @throws TillgateError `STATE_CONFLICT` after too many wrong answers
 */
export async function confirmWords(
  mnemonic: string,
  ask: NonNullable<Ask>,
  pick: (below: number) => number = randomInt,
): Promise<void> {
  const words = mnemonic.split(' ');
  const left = words.map((_word, index) => index);
  for (let asked = 0; asked < ASKED_WORDS; asked++) {
    const [index = 0] = left.splice(pick(left.length), 1);
    await askUntil(
      async () => (await ask(`Word ${index + 1} of ${words.length}`, '')).trim().toLowerCase(),
      (answer) => {
        if (answer !== words[index])
          throw new TillgateError(
            'STATE_CONFLICT',
            `That is not word ${index + 1}: compare it with the list. Nothing is stored before it is right.`,
          );
      },
      (text) => ask.tell?.(text),
    );
  }
}

/** Errors of a folder in which this user may not write. */
const NOT_WRITABLE: readonly (string | undefined)[] = ['EACCES', 'EPERM', 'EROFS'];

/**
 * Writes the words of a seed to a new file that only its owner can read, in the folder of secrets.
 *
 * @param homes - the folders that may have it: that of the settings, or where it cannot be written the next one
 * @returns its path; earlier files are kept, since another seed may be in use
 */
export function writeSeedFile(homes: readonly string[], mnemonic: string): string {
  const [home = '.', ...others] = homes;
  try {
    for (let count = 1; ; count++) {
      const path = join(home, SECRETS_FOLDER, count === 1 ? FILE_NAME : `${FILE_NAME}-${count}`);
      if (writeOnce(path, `${numberedWords(mnemonic).join('\n')}\n`)) return path;
    }
  } catch (error) {
    if (others.length === 0 || !NOT_WRITABLE.includes((error as NodeJS.ErrnoException).code)) throw error;
    return writeSeedFile(others, mnemonic);
  }
}

/** The files with seed words that are still in these folders. */
export function seedFilesIn(homes: readonly string[]): readonly string[] {
  return [...new Set(homes)].flatMap((home) => {
    const folder = join(home, SECRETS_FOLDER);
    if (!existsSync(folder)) return [];
    const names = readdirSync(folder).filter((name) => /^seed-words(?:-\d+)?$/.test(name));
    return names.sort().map((name) => join(folder, name));
  });
}
