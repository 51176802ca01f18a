import { membersOf } from './json-text.ts';
import { blockOfAnswer } from './reads.ts';

/** A block whose number is a multiple of the chain's finality bound, on one branch of the chain. */
export interface Checkpoint {
  readonly number: number;
  /** In lower case. */
  readonly hash: string;
}

/** An answer about a final block, as instances share it. */
export interface SharedAnswer {
  /** As `answerOf` returns it. */
  readonly answer: string;
  /** The block that it is about. */
  readonly block: number;
  /**
   * A later block of the branch that it is from, or the same. The hash stands for all blocks before it, so that the answer
   * holds wherever this block is part of the chain.
   */
  readonly checkpoint: Checkpoint;
}

const VERSION = 1;
/** No answer that is kept is longer, in characters. */
const MAX_TEXT = 512 * 1024;
const HASH = /^0x[0-9a-f]{64}$/;
const RESULT = '"result":';

/** The checkpoint as a line of JSON, and the answer after it. */
export function writeSharedAnswer({ answer, block, checkpoint: { number, hash } }: SharedAnswer): string {
  return `${JSON.stringify([VERSION, block, number, hash])}\n${answer}`;
}

/** Reads what {@link writeSharedAnswer} wrote; `null` unless it is an answer to this call, as it may be cached. */
export function readSharedAnswer(text: string, method: string, params: readonly unknown[]): SharedAnswer | null {
  const end = text.indexOf('\n');
  if (end < 0 || text.length > MAX_TEXT) return null;
  const head = parsed(text.slice(0, end));
  if (!Array.isArray(head) || head.length !== 4) return null;
  const [version, block, number, hash] = head as readonly unknown[];
  const answer = text.slice(end + 1);
  if (version !== VERSION || !isHeight(block) || !isHeight(number) || block > number) return null;
  if (typeof hash !== 'string' || !HASH.test(hash) || !isResult(answer)) return null;
  return blockOfAnswer(method, params, answer) === block ? { answer, block, checkpoint: { number, hash } } : null;
}

/** True for one result and nothing beside it: the text becomes a part of a reply. */
function isResult(answer: string): boolean {
  if (!answer.startsWith(RESULT)) return false;
  const reply = `{${answer}}`;
  return parsed(reply) !== undefined && membersOf(reply)?.size === 1;
}

const isHeight = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
