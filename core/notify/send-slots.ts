import { Counts } from '../kernel/index.ts';
import type { AccountId } from '../kernel/index.ts';

/** Limits of concurrent sends. */
export interface SlotLimits {
  /** Concurrent sends of all accounts to all hosts. */
  readonly total: number;
  /** Concurrent sends to one host, so that a host that never answers does not use up the total. */
  readonly perHost: number;
  /** Concurrent sends of one account to all hosts. */
  readonly perAccount: number;
  /** Waiting sends of one account for one host. */
  readonly waitingPerHost: number;
  /** Running and waiting sends together. */
  readonly held: number;
  /** Running and waiting sends of one account. */
  readonly heldPerAccount: number;
}

/** The account of a job, and the host that it calls. */
export interface SlotUser {
  readonly accountId: AccountId;
  readonly host: string;
}

type Job = () => Promise<void>;

/** The jobs of one account for one host, in the order of their arrival. */
interface Queue extends SlotUser {
  readonly jobs: Job[];
}

/**
 * Runs jobs concurrently, limited in total, by account and by host. The hosts of each account take turns, so that a
 * slow host delays only jobs for it, and an account only its own jobs.
 */
export class SendSlots {
  readonly #limits: SlotLimits;
  readonly #waiting = new Map<string, Queue>();
  readonly #activeByHost = new Counts();
  readonly #activeByAccount = new Counts();
  readonly #heldByAccount = new Counts();
  #active = 0;
  #held = 0;
  #whenIdle: (() => void)[] = [];

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** The number of jobs that may be offered now. */
  room(): number {
    return this.#limits.held - this.#held;
  }

  /** Starts the job or queues it; false when the queue of its account or its host is full. */
  offer(user: SlotUser, job: Job): boolean {
    const { accountId, host } = user;
    const key = `${accountId} ${host}`;
    const queue = this.#waiting.get(key) ?? { ...user, jobs: [] };
    const free = this.#limits.perHost - this.#activeByHost.of(host);
    const isFull =
      queue.jobs.length >= this.#limits.waitingPerHost + Math.max(free, 0) ||
      this.#heldByAccount.of(accountId) >= this.#limits.heldPerAccount ||
      this.room() <= 0;
    if (isFull) return false;
    this.#waiting.set(key, queue);
    queue.jobs.push(job);
    this.#held += 1;
    this.#heldByAccount.add(accountId, 1);
    this.#startReady();
    return true;
  }

  /** Resolves when no job is running or waiting. */
  async idle(): Promise<void> {
    if (this.#held > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  /** Starts one job of each queue in turn, until none may start. */
  #startReady(): void {
    for (let started = true; started;) {
      started = false;
      for (const [key, queue] of [...this.#waiting]) {
        if (!this.#mayStart(queue)) continue;
        const job = queue.jobs.shift();
        this.#waiting.delete(key);
        if (queue.jobs.length > 0) this.#waiting.set(key, queue);
        if (job === undefined) continue;
        this.#start(queue, job);
        started = true;
      }
    }
  }

  #mayStart({ accountId, host }: SlotUser): boolean {
    const { total, perHost, perAccount } = this.#limits;
    return (
      this.#active < total && this.#activeByHost.of(host) < perHost && this.#activeByAccount.of(accountId) < perAccount
    );
  }

  #start(user: SlotUser, job: Job): void {
    this.#count(user, 1);
    const ended = (): void => this.#end(user);
    job().then(ended, ended);
  }

  #end(user: SlotUser): void {
    this.#count(user, -1);
    this.#held -= 1;
    this.#heldByAccount.add(user.accountId, -1);
    this.#startReady();
    if (this.#held > 0) return;
    const resolves = this.#whenIdle;
    this.#whenIdle = [];
    for (const resolve of resolves) resolve();
  }

  #count({ accountId, host }: SlotUser, by: 1 | -1): void {
    this.#active += by;
    this.#activeByHost.add(host, by);
    this.#activeByAccount.add(accountId, by);
  }
}
