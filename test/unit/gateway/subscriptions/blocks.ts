import type { BlockHeader, BlockLog, BlockSource, LogFilter, WindowBlock } from '../../../../core/index.ts';

/** A block of a scripted chain. */
export interface ScriptedBlock extends BlockHeader {
  readonly logs: readonly BlockLog[];
}

const word = (text: string): string => `0x${Buffer.from(text).toString('hex').padStart(64, '0')}`;

/** A block whose hash says its name; it has one log unless told. */
export function block(name: string, number: number, parent: string, logs = 1): ScriptedBlock {
  const header = { number: `0x${number.toString(16)}`, hash: word(name), parentHash: word(parent) };
  return {
    number,
    hash: header.hash,
    parentHash: header.parentHash,
    text: JSON.stringify(header),
    logs: Array.from({ length: logs }, (_, index) => ({
      address: `0x${'11'.repeat(20)}`,
      topics: [],
      text: JSON.stringify({ of: name, index, removed: false }),
    })),
  };
}

/** Blocks of one branch: `a1`, `a2`, … behind a block. */
export function branch(letter: string, from: number, to: number, parent: string): ScriptedBlock[] {
  return Array.from({ length: to - from + 1 }, (_, at) =>
    block(`${letter}${from + at}`, from + at, at === 0 ? parent : `${letter}${from + at - 1}`),
  );
}

/** A node that has these blocks; the last of a number is the canonical one. */
export class ScriptedSource implements BlockSource {
  readonly asked: string[] = [];
  readonly #blocks: readonly ScriptedBlock[];
  /** Called before each call of `eth_getLogs`; what it throws ends the node. */
  beforeLogs: (hash: string) => void = () => undefined;

  constructor(blocks: readonly ScriptedBlock[]) {
    this.#blocks = blocks;
  }

  blockByHash(hash: string): Promise<BlockHeader | null> {
    this.asked.push(hash);
    return Promise.resolve(this.#blocks.find((each) => each.hash === hash) ?? null);
  }

  blocksByNumber(from: number, to: number): Promise<readonly BlockHeader[]> {
    return Promise.resolve(this.#blocks.filter(({ number }) => number >= from && number <= to));
  }

  async logsOf(hash: string, _filter: LogFilter): Promise<readonly BlockLog[] | null> {
    await Promise.resolve();
    this.beforeLogs(hash);
    return this.#blocks.find((each) => each.hash === hash)?.logs ?? null;
  }
}

export const nameOf = ({ header }: WindowBlock): string =>
  Buffer.from(header.hash.slice(2).replace(/^(?:00)+/, ''), 'hex').toString();
