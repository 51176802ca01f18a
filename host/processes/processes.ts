import cluster from 'node:cluster';
import type { Worker } from 'node:cluster';
import { TillgateError } from '../../core/index.ts';
import type { Logger } from '../../core/index.ts';
import { PLACE_VARIABLE, unlessSet } from '../settings/config.ts';
import { receivedError, unwrapped, wrapped } from './messages.ts';
import type { FromProcess, ToProcess } from './messages.ts';
import { MALLOC_ENVIRONMENT } from '../boot/memory.ts';
import type { Reloaded } from '../boot/reloading.ts';
import { MetricsGathering } from './metrics-gathering.ts';
import { ReloadGathering } from './reload-gathering.ts';
import { Restarts, SHORT_LIFE_MS, SHORT_LIVES } from './restarts.ts';

/** One slot of a server, with the process that occupies it now. */
interface Place {
  readonly number: number;
  readonly restarts: Restarts;
  worker: Worker | null;
  /** When the present process began to serve; `null` while it starts. */
  servingSince: number | null;
  /** Why the present process could not start. */
  failure: Error | null;
}

/** A process with a blocked event loop ignores SIGTERM, and must be gone before the primary is. */
const KILL_AFTER_MS = 9_300;

/** The processes of one server. All accept connections on the same port; one that ends is started again. */
export class Processes {
  readonly #places: readonly Place[];
  readonly #logger: Logger;
  readonly #metrics: MetricsGathering;
  readonly #reloads: ReloadGathering;
  readonly #timers = new Set<NodeJS.Timeout>();
  #stopped: Promise<void> | null = null;
  #greeted = false;
  #onServing: (greeting: readonly string[]) => void = () => undefined;
  #onOutdated: () => void = () => undefined;
  #onFailure: (error: Error) => void = () => undefined;
  #onGone: (() => void) | null = null;
  /** Resolves with the lines to print at the start, once every process serves. */
  readonly serving = new Promise<readonly string[]>((resolve) => (this.#onServing = resolve));
  /** Resolves once one of them has found its database migrated by a newer release. */
  readonly outdated = new Promise<void>((resolve) => (this.#onOutdated = resolve));
  /** Rejects once the server cannot continue; never resolves. */
  readonly failure = new Promise<never>((_resolve, reject) => (this.#onFailure = reject));

  constructor(count: number, logger: Logger) {
    this.#logger = logger;
    this.#places = Array.from({ length: count }, (_, index) => ({
      number: index + 1,
      restarts: new Restarts(),
      worker: null,
      servingSince: null,
      failure: null,
    }));
    this.#metrics = new MetricsGathering((id) => this.#askAll({ kind: 'collect', id }));
    this.#reloads = new ReloadGathering((id) => this.#askAll({ kind: 'reload', id }));
    this.failure.catch(() => undefined);
  }

  start(): void {
    for (const place of this.#places) this.#fork(place);
  }

  /** Lets every process read the settings again. */
  reload(): Promise<Reloaded> {
    return this.#reloads.run();
  }

  /** Ends every process as SIGTERM does: requests in progress are answered. Resolves when all have ended. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    const gone = new Promise<void>((resolve) => (this.#onGone = resolve));
    this.#signal('SIGTERM');
    const timer = setTimeout(() => this.#signal('SIGKILL'), KILL_AFTER_MS);
    this.#noticeEnd();
    await gone;
    clearTimeout(timer);
  }

  #signal(signal: NodeJS.Signals): void {
    for (const { worker } of this.#places) worker?.process.kill(signal);
  }

  #fork(place: Place): void {
    const worker = cluster.fork({
      ...unlessSet(MALLOC_ENVIRONMENT),
      [PLACE_VARIABLE]: `${place.number}/${this.#places.length}`,
    });
    Object.assign(place, { worker, servingSince: null, failure: null });
    worker.on('message', (received: unknown) => {
      const message = unwrapped<FromProcess>(received);
      if (message !== null) this.#hear(place, worker, message);
    });
    worker.on('error', (error) => {
      this.#logger.warn('cannot send a message to a process', { of: place.number, error });
      if (worker.process.pid === undefined) this.#ended(place, worker, error.message);
    });
    // A process's last message may arrive after its exit, but before its channel closes.
    let how: string | null = null;
    let silent = false;
    const settle = (): void => {
      if (how !== null && silent) this.#ended(place, worker, how);
    };
    worker.once('exit', (code: number | null, signal: string | null) => {
      how = signal ?? `code ${code}`;
      settle();
    });
    worker.once('disconnect', () => {
      silent = true;
      settle();
    });
  }

  #hear(place: Place, worker: Worker, message: FromProcess): void {
    if (message.kind === 'serving') this.#serves(place, message.greeting);
    else if (message.kind === 'outdated') this.#onOutdated();
    else if (message.kind === 'reloaded') this.#reloads.answered(worker.id, message.id, message.answer);
    else if (message.kind === 'collected') this.#watch(this.#metrics.answered(worker.id, message.id, message.metrics));
    else if (message.kind === 'scrape') this.#watch(this.#scrape(worker, message.id));
    else place.failure = receivedError(message.error);
  }

  #serves(place: Place, greeting: readonly string[]): void {
    place.servingSince = performance.now();
    this.#logger.info('a process serves', { of: place.number, pid: place.worker?.process.pid });
    if (this.#greeted || !this.#places.every(({ servingSince }) => servingSince !== null)) return;
    this.#greeted = true;
    this.#onServing(greeting);
  }

  #ended(place: Place, worker: Worker, how: string): void {
    place.worker = null;
    this.#watch(this.#metrics.ended(worker.id));
    this.#reloads.ended(worker.id);
    if (this.#stopped !== null) {
      this.#noticeEnd();
      return;
    }
    const { failure, servingSince } = place;
    // A failure at the first start comes from the settings or the database, so every other process would fail too.
    if (failure !== null && !this.#greeted) {
      this.#onFailure(failure);
      return;
    }
    const next = place.restarts.ended(servingSince === null ? 0 : performance.now() - servingSince);
    if (next.kind === 'give-up') {
      this.#onFailure(endsAgainAndAgain(place, how));
      return;
    }
    const error = failure === null ? {} : { error: failure };
    this.#logger.error('a process ended and is started again', {
      of: place.number,
      how,
      waitMs: next.afterMs,
      ...error,
    });
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#fork(place);
    }, next.afterMs);
    this.#timers.add(timer);
  }

  #noticeEnd(): void {
    if (this.#places.every(({ worker }) => worker === null)) this.#onGone?.();
  }

  /** Asks only processes that serve; one that is starting has measured nothing yet. */
  #askAll(message: ToProcess): readonly number[] {
    const asked = this.#places.flatMap(({ worker, servingSince }) =>
      servingSince !== null && worker?.isConnected() === true ? [worker] : [],
    );
    for (const worker of asked) worker.send(wrapped(message));
    return asked.map(({ id }) => id);
  }

  async #scrape(worker: Worker, id: number): Promise<void> {
    const text = await this.#metrics.text();
    if (worker.isConnected()) worker.send(wrapped<ToProcess>({ kind: 'scraped', id, text }));
  }

  #watch(work: Promise<void>): void {
    work.catch((error: unknown) => this.#logger.error('the metrics of the processes could not be merged', { error }));
  }
}

function endsAgainAndAgain({ number, failure }: Place, how: string): TillgateError {
  const why = failure === null ? 'its lines in the log say why' : failure.message;
  return new TillgateError(
    'NOT_READY',
    `Process ${number} ended ${SHORT_LIVES} times in a row before it had served for ${SHORT_LIFE_MS / 1_000} s (${how}): ${why}`,
  );
}
