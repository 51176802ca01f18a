import { isContradiction, isTillgateError, TillgateError } from '../../../core/index.ts';
import type { ChainAdapter, Clock, ErrorCode } from '../../../core/index.ts';
import { Disagreements } from './disagreements.ts';

/** One node of a chain, and the chain as this node reports it. */
export interface ChainNode {
  /** `name:port`, the only part of its URL that may be shown. */
  readonly host: string;
  readonly chain: ChainAdapter;
}

/** A question to every node. */
export interface Question<T> {
  /** The key of a disagreement, which ends when the same question is asked again and the nodes agree. */
  readonly subject: string;
  /** The subject, in words that complete "the nodes disagree about …". */
  readonly about: string;
  ask(chain: ChainAdapter): Promise<T>;
  /** Equal for equal answers; shown when the nodes disagree. */
  textOf(value: T): string;
  /** Whether these different values cannot come from two honest nodes, not even for a moment. */
  isLie?(values: readonly T[]): boolean;
}

/** A node's answer: a value, or an error that is about the question. */
export type Answer<T> = { readonly host: string; readonly chain: ChainAdapter } & (
  { readonly value: T } | { readonly error: TillgateError }
);

/** The answers, and the reasons why other nodes gave none. */
export interface Replies<T> {
  readonly answers: readonly Answer<T>[];
  readonly failures: readonly string[];
}

/** Milliseconds that the other nodes have once enough nodes have answered. */
const GRACE_MS = 1_000;
/** Error codes which mean that a node did not answer the question. */
const NO_ANSWER: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['NODE_FAILED', 'NOT_READY']);
const SHOWN = 160;
/** Used for questions without a subject of their own. */
const ANYTHING = 'answers';

/**
 * The nodes of one chain, asked together. An answer of enough nodes is accepted; a contradiction is an error, and stays
 * in `disagreements` until the nodes agree.
 */
export class NodeGroup {
  readonly nodes: readonly ChainNode[];
  readonly quorum: number;
  readonly disagreements: Disagreements;
  /** Nodes below the block that enough others have; they are asked again once they have it too. */
  #behind: ReadonlySet<ChainAdapter> = new Set();
  /** Nodes that were not waited for, with the number of their answers that are still to come. */
  readonly #late = new Map<ChainNode, number>();

  constructor(nodes: readonly ChainNode[], quorum: number, clock: Clock, patienceMs?: number) {
    if (quorum < 1 || quorum > nodes.length)
      throw new TillgateError(
        'CONFIG_INVALID',
        `A quorum of ${quorum} needs as many nodes; there are ${nodes.length}.`,
      );
    this.nodes = nodes;
    this.quorum = quorum;
    this.disagreements = new Disagreements(clock, patienceMs);
  }

  /**
   * The value that enough nodes return.
   *
   * @throws TillgateError `NODE_FAILED` when too few answer or agree; an error that enough nodes return
   */
  async agree<T>(question: Question<T>): Promise<T> {
    return (await this.agreed(question)).value;
  }

  /** The value that enough nodes return, with the answers of the nodes that agree. */
  async agreed<T>(question: Question<T>): Promise<{ readonly value: T; readonly values: readonly T[] }> {
    const answers = await this.ask(question.ask.bind(question), question.subject);
    const groups = grouped(answers, question);
    const [most = []] = groups;
    const isEnough = most.length >= this.quorum;
    if (groups.length === 1) this.disagreements.end(question.subject);
    else this.note(question, answers, isEnough ? most : []);
    if (!isEnough) throw this.contradiction(question, answers);
    const values = valuesOf(most);
    return { value: values[0] as T, values };
  }

  /** The answers of at least as many nodes as must agree. @throws TillgateError `NODE_FAILED` when fewer answer */
  async ask<T>(ask: (chain: ChainAdapter) => Promise<T>, subject = ANYTHING): Promise<readonly Answer<T>[]> {
    return this.#enough(
      this.#orAll((node) => !this.#late.has(node) && !this.#behind.has(node.chain)),
      ask,
      subject,
    );
  }

  /** The answers of all nodes. @throws TillgateError `NODE_FAILED` when one does not answer */
  async askAll<T>(ask: (chain: ChainAdapter) => Promise<T>, subject = ANYTHING): Promise<readonly Answer<T>[]> {
    return this.#enough(this.#inTime(), ask, subject);
  }

  /** Every answer, however few nodes answer; nodes that are late are left out, unless they are named in `asked`. */
  async replies<T>(ask: (chain: ChainAdapter) => Promise<T>, asked = this.#inTime()): Promise<Replies<T>> {
    return this.#collect(asked, ask, ANYTHING);
  }

  #inTime(): readonly ChainNode[] {
    return this.#orAll((node) => !this.#late.has(node));
  }

  /** These nodes, or all nodes when they are too few to agree. */
  #orAll(isWanted: (node: ChainNode) => boolean): readonly ChainNode[] {
    const wanted = this.nodes.filter(isWanted);
    return wanted.length >= this.quorum ? wanted : this.nodes;
  }

  /** Records which nodes lack the block that enough others have. */
  noteBehind(chains: Iterable<ChainAdapter>): void {
    this.#behind = new Set(chains);
  }

  async #enough<T>(
    asked: readonly ChainNode[],
    ask: (chain: ChainAdapter) => Promise<T>,
    subject: string,
  ): Promise<readonly Answer<T>[]> {
    const { answers, failures } = await this.#collect(asked, ask, subject);
    if (answers.length >= this.quorum) return answers;
    throw new TillgateError(
      'NODE_FAILED',
      `${answers.length} of ${this.nodes.length} nodes answer, and ${this.quorum} have to agree: ${failures.join('; ')}`,
    );
  }

  /** The answer of the first node that works, for questions with which a node can do no harm. */
  async first<T>(ask: (chain: ChainAdapter) => Promise<T>): Promise<T> {
    let failure: unknown = null;
    for (const { chain } of this.nodes) {
      try {
        return await ask(chain);
      } catch (error) {
        if (!isTillgateError(error, 'NODE_FAILED')) throw error;
        failure ??= error;
      }
    }
    throw failure;
  }

  /** Records contradictions between nodes. @param believed - the answers that enough nodes return, if any */
  note<T>(
    question: Omit<Question<T>, 'ask'>,
    answers: readonly Answer<T>[],
    believed: readonly Answer<T>[] = [],
  ): void {
    const nodes = answers.filter((answer) => !believed.includes(answer)).map(({ host }) => host);
    const values = answers.flatMap((answer) => ('value' in answer ? [answer.value] : []));
    const atOnce = question.isLie?.(values) ?? false;
    this.disagreements.note(question.subject, { text: textOf(question, answers), nodes }, atOnce);
  }

  contradiction<T>(question: Omit<Question<T>, 'ask'>, answers: readonly Answer<T>[]): TillgateError {
    return new TillgateError(
      'NODE_FAILED',
      `Fewer than ${this.quorum} nodes give the same answer: ${textOf(question, answers)}.`,
    );
  }

  async #collect<T>(
    asked: readonly ChainNode[],
    ask: (chain: ChainAdapter) => Promise<T>,
    subject: string,
  ): Promise<Replies<T>> {
    const answers: Answer<T>[] = [];
    const failures: string[] = [];
    const open = new Set(asked);
    await new Promise<void>((resolve) => {
      let timer: NodeJS.Timeout | null = null;
      for (const node of asked) {
        void answerOf(node, ask).then((reply) => {
          const wasLate = !open.delete(node);
          this.#noteContradiction(node, subject, reply);
          if (wasLate) this.#caughtUp(node);
          else if (reply instanceof Error) failures.push(reply.message);
          else answers.push(reply);
          if (open.size === 0) {
            if (timer !== null) clearTimeout(timer);
            resolve();
          } else if (answers.length >= this.quorum) timer ??= setTimeout(resolve, GRACE_MS);
        });
      }
    });
    for (const node of open) this.#late.set(node, (this.#late.get(node) ?? 0) + 1);
    open.clear();
    // The nodes that answered, in the order of the settings.
    const place = (host: string): number => this.nodes.findIndex((node) => node.host === host);
    return { answers: answers.sort((a, b) => place(a.host) - place(b.host)), failures };
  }

  /**
   * A node whose answers contradict each other has not failed: its answers are false, and would be accepted if another
   * node gave the same. The state ends when the node answers the same question.
   */
  #noteContradiction({ host }: ChainNode, subject: string, reply: object): void {
    const about = `${subject} at ${host}`;
    if (reply instanceof Error && isContradiction(reply))
      this.disagreements.note(
        about,
        { text: `${host} says: ${reply.message.replace(/\.$/, '')}`, nodes: [host] },
        true,
      );
    else if (!(reply instanceof Error)) this.disagreements.end(about);
  }

  #caughtUp(node: ChainNode): void {
    const left = (this.#late.get(node) ?? 1) - 1;
    if (left === 0) this.#late.delete(node);
    else this.#late.set(node, left);
  }
}

/** The values of the answers. @throws TillgateError the first error among the answers */
export function valuesOf<T>(answers: readonly Answer<T>[]): readonly T[] {
  return answers.map((answer) => {
    if ('error' in answer) throw answer.error;
    return answer.value;
  });
}

/** An answer, or the reason why there is none. */
async function answerOf<T>(
  { host, chain }: ChainNode,
  ask: (chain: ChainAdapter) => Promise<T>,
): Promise<Answer<T> | Error> {
  try {
    return { host, chain, value: await ask(chain) };
  } catch (error) {
    if (error instanceof TillgateError && !NO_ANSWER.has(error.code)) return { host, chain, error };
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Groups equal answers, the most frequent first. */
function grouped<T>(
  answers: readonly Answer<T>[],
  question: Pick<Question<T>, 'textOf'>,
): readonly (readonly Answer<T>[])[] {
  const groups = new Map<string, Answer<T>[]>();
  for (const answer of answers) {
    const key = said(question, answer);
    groups.set(key, [...(groups.get(key) ?? []), answer]);
  }
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

function said<T>({ textOf: show }: Pick<Question<T>, 'textOf'>, answer: Answer<T>): string {
  return 'error' in answer ? `refused with ${answer.error.code}` : show(answer.value);
}

function textOf<T>(question: Omit<Question<T>, 'ask'>, answers: readonly Answer<T>[]): string {
  const each = answers.map((answer) => `${answer.host} says ${shortened(said(question, answer))}`);
  return `the nodes disagree about ${question.about}: ${each.join(', ')}`;
}

function shortened(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
}
