import { randomUUID } from 'node:crypto';

/** A fresh trace id: 32 hexadecimal digits that cannot be guessed. */
export function randomTraceId(): string {
  return randomUUID().replaceAll('-', '');
}
