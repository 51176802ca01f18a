import { IdSequence } from '../../core/index.ts';
import type { Clock, IdGenerator, Random } from '../../core/index.ts';

/** {@link IdGenerator} of one instance: the core's id sequence, bound to a clock, a node number and a source of randomness. */
export class SnowflakeIds implements IdGenerator {
  readonly #sequence: IdSequence;

  /** @param node - this instance's number, which no other live instance may have */
  constructor(clock: Clock, node: number, random: Random) {
    this.#sequence = new IdSequence(
      () => clock.now(),
      node,
      () => random.bytes(2).reduce((start, byte) => start * 256 + byte, 0),
    );
  }

  next(): string {
    return this.#sequence.next();
  }
}
