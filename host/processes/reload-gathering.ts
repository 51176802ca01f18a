import type { Reloaded } from '../boot/reloading.ts';

interface Asked {
  readonly waiting: Set<number>;
  readonly answers: Reloaded[];
  readonly done: (answers: readonly Reloaded[]) => void;
}

/** Asks the processes of a server to read the settings again, and joins their answers. */
export class ReloadGathering {
  readonly #ask: (id: number) => readonly number[];
  readonly #asked = new Map<number, Asked>();
  #count = 0;

  /** @param ask - sends the request and returns the processes that were asked */
  constructor(ask: (id: number) => readonly number[]) {
    this.#ask = ask;
  }

  async run(): Promise<Reloaded> {
    const id = this.#count++;
    const answers = await new Promise<readonly Reloaded[]>((done) => {
      this.#asked.set(id, { waiting: new Set(this.#ask(id)), answers: [], done });
      this.#settle(id);
    });
    return joined(answers);
  }

  answered(process: number, id: number, answer: Reloaded): void {
    const asked = this.#asked.get(id);
    if (asked?.waiting.delete(process) === true) asked.answers.push(answer);
    this.#settle(id);
  }

  /** A process that has ended does not answer any more; the one in its place reads the settings at its start. */
  ended(process: number): void {
    for (const [id, { waiting }] of this.#asked) {
      waiting.delete(process);
      this.#settle(id);
    }
  }

  #settle(id: number): void {
    const asked = this.#asked.get(id);
    if (asked === undefined || asked.waiting.size > 0) return;
    this.#asked.delete(id);
    asked.done(asked.answers);
  }
}

/** A refusal of one process counts for all: they read the same file. */
function joined(answers: readonly Reloaded[]): Reloaded {
  const refused = answers.find(({ outcome }) => outcome === 'refused');
  if (refused !== undefined) return refused;
  const applied = answers.flatMap((answer) => (answer.outcome === 'applied' ? [answer] : []));
  return {
    outcome: 'applied',
    followed: [...new Set(applied.flatMap(({ followed }) => followed))],
    waiting: [...new Set(applied.flatMap(({ waiting }) => waiting))],
  };
}
