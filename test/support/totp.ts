import { decodeBase32, present, totpCode, totpStep } from '../../core/index.ts';
import { PlainDigest } from './fakes.ts';

/** The code of a base32 secret at a time. */
export function codeAt(secret: string, at: number): string {
  return totpCode(new PlainDigest(), present(decodeBase32(secret), 'a secret in base32'), totpStep(at));
}
