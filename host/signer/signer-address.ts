import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import type { FieldError } from '../../core/index.ts';
import type { SignerAddress } from '../../adapters/signer/index.ts';
import { section, text } from '../settings/setting-fields.ts';

const FILES = ['caFile', 'certFile', 'keyFile'] as const;

/** The setting `signer` of a server: the address of the process that holds the seed. */
export const signerSetting = z
  .strictObject(
    {
      url: text('where the signer listens: "unix:/run/tillgate-signer/signer.sock" or "https://…"').refine(
        (url) =>
          url.startsWith('unix:')
            ? url.length > 'unix:'.length
            : /^https:\/\/[^/?#@]+\/?$/.test(url) && URL.canParse(url),
        { error: 'write "unix:" and a path, or "https://" with a host and a port' },
      ),
      caFile: text('the path of a PEM file').optional(),
      certFile: text('the path of a PEM file').optional(),
      keyFile: text('the path of a PEM file').optional(),
    },
    section,
  )
  .refine(
    (setting) => {
      const given = FILES.filter((name) => setting[name] !== undefined).length;
      return given === (setting.url.startsWith('unix:') ? 0 : FILES.length);
    },
    { error: 'write caFile, certFile and keyFile with a url of https, and none of them with a socket' },
  );

/** The address with its certificates; unreadable files are added to the problems. */
export function signerAddressOf(
  setting: z.output<typeof signerSetting> | undefined,
  directory: string,
  problems: FieldError[],
): SignerAddress | null {
  if (setting === undefined) return null;
  if (setting.url.startsWith('unix:'))
    return { url: `unix:${resolve(directory, setting.url.slice('unix:'.length))}`, tls: null };
  const [ca = '', cert = '', key = ''] = FILES.map((name) => {
    try {
      return readFileSync(resolve(directory, setting[name] ?? ''), 'utf8');
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
      problems.push({ path: `signer.${name}`, message: `cannot be read (${code})` });
      return '';
    }
  });
  return { url: setting.url, tls: { ca, cert, key } };
}
