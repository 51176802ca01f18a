import { readFile } from 'node:fs/promises';
import { TillgateError } from '../../core/index.ts';

/** A secret or a certificate. @throws TillgateError `CONFIG_INVALID` with the name of the setting, never the path or the content */
export async function readSecret(setting: string, path: string): Promise<Buffer> {
  let bytes: Buffer | null = null;
  let reason = 'is empty';
  try {
    bytes = await readFile(path);
  } catch (error) {
    reason = `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`;
  }
  if (bytes === null || bytes.length === 0)
    throw new TillgateError('CONFIG_INVALID', `The file named by ${setting} ${reason}.`);
  return bytes;
}

/** The text of a secret's file, without what an editor adds at its end. @throws TillgateError `CONFIG_INVALID`, as {@link readSecret} */
export async function readSecretText(setting: string, path: string): Promise<string> {
  const text = (await readSecret(setting, path)).toString('utf8').trim();
  if (text === '') throw new TillgateError('CONFIG_INVALID', `The file named by ${setting} is empty.`);
  return text;
}
