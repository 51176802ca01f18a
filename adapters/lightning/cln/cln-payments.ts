import { TillgateError } from '../../../core/index.ts';
import type {
  Clock,
  LightningPayOutcome,
  LightningPaymentRequest,
  LightningPaymentView,
  Millis,
} from '../../../core/index.ts';
import { part } from '../replies.ts';
import type { Reply } from '../replies.ts';
import type { ClnAnswer, ClnClient } from './cln-client.ts';

/** The seconds in which the node starts new attempts. */
const RETRY_SECONDS = 60;
/**
 * When this process has seen only failed attempts for this long, no command of an earlier process starts another one.
 */
const FINAL_AFTER_MS = 180_000;
/** The command returns when the payment has ended, which may take days; its state is polled meanwhile. */
const COMMAND_MS = 7 * 86_400_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;
/** Time until the node must list a requested payment. */
const SHOWN_MS = 20_000;
/** Final errors of `xpay`: refused by the receiver, no route, expired, another failure. */
const FINAL_CODES: ReadonlySet<number> = new Set([203, 205, 207, 209]);

/** Payments by Core Lightning's `xpay`, followed by `listpays`. */
export class ClnPayments {
  readonly #client: ClnClient;
  readonly #clock: Clock;
  readonly #changed: () => void;
  /** Commands of this process without a reply: the node may still start attempts for these. */
  readonly #running = new Map<string, Promise<ClnAnswer>>();
  /** Commands that have a reply, with its time: no further attempts start for them. */
  readonly #ended = new Map<string, Millis>();
  /**
   * Payments of an earlier process whose attempts have all failed, with the time when this process first saw that, by a
   * single clock.
   */
  readonly #failing = new Map<string, Millis>();

  constructor(client: ClnClient, clock: Clock, changed: () => void) {
    this.#client = client;
    this.#clock = clock;
    this.#changed = changed;
  }

  /** @throws TillgateError `NODE_FAILED` when it is unknown whether the node has the payment */
  async pay(request: LightningPaymentRequest): Promise<LightningPayOutcome> {
    const { paymentHash } = request;
    const running = this.#running.get(paymentHash);
    const known = running === undefined ? await this.find(paymentHash) : null;
    return known ?? this.#untilShown(paymentHash, running ?? this.#start(request));
  }

  /** @throws TillgateError `NODE_FAILED`, also while the node does not list a payment that was just requested */
  async find(paymentHash: string): Promise<LightningPaymentView | null> {
    const view = await this.#listed(paymentHash);
    if (view === null && this.#running.has(paymentHash)) throw this.#unclear();
    return view;
  }

  async #untilShown(paymentHash: string, command: Promise<ClnAnswer>): Promise<LightningPayOutcome> {
    const outcome = command.then(
      (answer) => ({ answer, error: null }),
      (error: unknown) => ({ answer: null, error }),
    );
    const shownBy = performance.now() + SHOWN_MS;
    for (let pause = FIRST_PAUSE_MS; performance.now() < shownBy; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const ended = await Promise.race([outcome, sleep(pause)]);
      if (ended !== null) {
        if (ended.answer === null) throw ended.error;
        return this.#afterEnd(ended.answer, paymentHash);
      }
      const view = await this.#listed(paymentHash);
      if (view !== null) return view;
    }
    throw this.#unclear();
  }

  async #listed(paymentHash: string): Promise<LightningPaymentView | null> {
    const pays = (await this.#client.get('listpays', { payment_hash: paymentHash })).list('pays');
    if (pays.length === 0) return null;
    const has = (status: string): Reply | undefined => pays.find((pay) => pay.text('status') === status);
    const complete = has('complete');
    if (complete === undefined && has('pending') === undefined) {
      return this.#isOver(paymentHash)
        ? { state: 'failed', reason: 'every attempt to pay failed' }
        : { state: 'in-flight' };
    }
    this.#failing.delete(paymentHash);
    return complete === undefined ? { state: 'in-flight' } : settledOf(complete);
  }

  /** All attempts so far have failed; while a command runs there may be another. */
  #isOver(paymentHash: string): boolean {
    if (this.#running.has(paymentHash)) return false;
    const since = this.#failing.get(paymentHash) ?? this.#clock.now();
    this.#failing.set(paymentHash, since);
    const over = this.#ended.has(paymentHash) || this.#clock.now() - since > FINAL_AFTER_MS;
    if (over) this.#failing.delete(paymentHash);
    return over;
  }

  #unclear(): TillgateError {
    return new TillgateError(
      'NODE_FAILED',
      'The Lightning node does not list yet a payment that was requested; its outcome is unknown.',
    );
  }

  #start({ paymentHash, paymentRequest, msat, maxFeeMsat }: LightningPaymentRequest): Promise<ClnAnswer> {
    const parameters = {
      invstring: paymentRequest,
      maxfee: Number(maxFeeMsat),
      retry_for: RETRY_SECONDS,
      ...(msat === null ? {} : { amount_msat: Number(msat) }),
    };
    const command = this.#client.ask('xpay', parameters, COMMAND_MS).then((answer) => {
      this.#rememberEnd(paymentHash);
      return answer;
    });
    this.#running.set(paymentHash, command);
    const over = (): void => {
      this.#running.delete(paymentHash);
      this.#changed();
    };
    command.then(over, over);
    return command;
  }

  #rememberEnd(paymentHash: string): void {
    const now = this.#clock.now();
    for (const [hash, at] of this.#ended) if (now - at > FINAL_AFTER_MS * 2) this.#ended.delete(hash);
    this.#ended.set(paymentHash, now);
  }

  async #afterEnd({ reply, problem }: ClnAnswer, paymentHash: string): Promise<LightningPayOutcome> {
    if (problem === null) return settledOf(reply);
    const pays = (await this.#client.get('listpays', { payment_hash: paymentHash })).list('pays');
    const statuses = new Set(pays.map((pay) => pay.text('status')));
    // A part may outlive the command: the payment has ended only when its parts have.
    if (statuses.has('complete') || statuses.has('pending'))
      return (await this.find(paymentHash)) ?? { state: 'in-flight' };
    const reason = this.#client.shown(problem.message);
    if (FINAL_CODES.has(problem.code)) return { state: 'failed', reason };
    // The command has ended without ever sending a part, so it started nothing.
    if (pays.length === 0 && problem.code !== 0) return { state: 'refused', reason };
    throw this.#client.refusal('a payment', problem.message);
  }
}

function settledOf(reply: Reply): LightningPaymentView {
  const sent = reply.count('amount_sent_msat');
  // Core Lightning omits the amount where it does not know what the receiver was to get.
  if (part(reply.body, 'amount_msat') === undefined) return { state: 'settled', msat: null, feeMsat: 0n };
  const msat = reply.count('amount_msat');
  return { state: 'settled', msat, feeMsat: sent - msat };
}

function sleep(ms: number): Promise<null> {
  return new Promise((resolve) => setTimeout(() => resolve(null), ms).unref());
}
