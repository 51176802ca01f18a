import { randomBytes } from 'node:crypto';
import type { Random } from '../../core/index.ts';

/** {@link Random} from the operating system's generator. */
export class NodeRandom implements Random {
  bytes(length: number): Uint8Array {
    return randomBytes(length);
  }
}
