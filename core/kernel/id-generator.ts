import { token } from './token.ts';

/** Generates ids that sort by time and are unique across instances. */
export interface IdGenerator {
  next(): string;
}

export const ID_GENERATOR = token<IdGenerator>('IdGenerator');
