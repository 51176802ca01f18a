import { createHash } from 'node:crypto';
import { checkLedger, isTillgateError } from '../../core/index.ts';
import type { LedgerBreach } from '../../core/index.ts';
import type { Action, Scene } from './actions/action.ts';
import { BATCHES } from './actions/batches.ts';
import { CLAIMS } from './actions/claims.ts';
import { CONTRACTS } from './actions/contracts.ts';
import { FREE_OPTIONS } from './actions/free-options.ts';
import { HOSTILE } from './actions/hostile.ts';
import { ISSUER } from './actions/issuer.ts';
import { STOLEN_SESSION } from './actions/stolen-session.ts';
import { LIGHTNING } from './actions/lightning.ts';
import { LIGHTNING_TROUBLES } from './actions/lightning-troubles.ts';
import { THIEVES } from './actions/refunds.ts';
import { MERCHANTS } from './actions/merchants.ts';
import { NETWORK } from './actions/network.ts';
import { OPERATORS } from './actions/operators.ts';
import { RESTORES } from './actions/restores.ts';
import { STRANDED } from './actions/stranded.ts';
import { WATCHING } from './actions/watching.ts';
import { WORKERS } from './actions/workers.ts';
import { concurrentActionsOf } from './concurrent-actions.ts';
import type { ConcurrentAction } from './concurrent-actions.ts';
import { PgDatabase } from './pg/pg-database.ts';
import { SimRandom } from './random.ts';
import { eventBreach } from './rules/events.ts';
import { Rules } from './rules/rules.ts';
import { Settlement } from './settlement.ts';
import { Crash } from './world/gate.ts';
import type { Fault } from './world/gate.ts';
import { SqliteDatabase } from './world/database.ts';
import type { Instance } from './world/instance.ts';
import { World } from './world/world.ts';

/** The part of a seed's scenario to play. */
export interface Scenario {
  readonly seed: number;
  /** The number of steps of the whole scenario. */
  readonly steps: number;
  /** The steps to play; all by default. */
  readonly only?: readonly number[];
  /** Steps without a fault. */
  readonly calm?: ReadonlySet<number>;
  /** The URL of a PostgreSQL database; SQLite in memory by default. */
  readonly database?: string;
  /** An additional rule, checked after each step; for tests of the simulator itself. */
  readonly broken?: (seen: { readonly tally: (name: string) => number }) => string | null;
}

/** The end of a scenario. */
export interface Ending {
  /** The first broken rule; `null` when all held. */
  readonly breach: string | null;
  /** The step that broke it; the number of steps when it was found at the end. */
  readonly step: number;
  /** The number of played steps, including those of the end. */
  readonly played: number;
  /** SHA-256 of the log. */
  readonly digest: string;
  /** The count of each kind of event, which shows what the scenario covered. */
  readonly tally: ReadonlyMap<string, number>;
}

/** Receives each line of the log. */
export type Log = (line: string) => void;

const ACTIONS: readonly (readonly [Action, number])[] = [
  ...WORKERS,
  ...NETWORK,
  ...STRANDED,
  ...MERCHANTS,
  ...BATCHES,
  ...CLAIMS,
  ...FREE_OPTIONS,
  ...HOSTILE,
  ...CONTRACTS,
  ...ISSUER,
  ...THIEVES,
  ...STOLEN_SESSION,
  ...LIGHTNING,
  ...LIGHTNING_TROUBLES,
  ...OPERATORS,
  ...RESTORES,
  ...WATCHING,
].map((action) => [action, action.weight]);
/** Actions that never run while a call waits. */
const APART: ReadonlySet<string> = new Set([
  'kill',
  'receivers',
  'price',
  'wait-for-the-rate',
  'switch-coins',
  'endow',
  'back-up',
  'restore',
]);
const MEANWHILE: readonly (readonly [Action, number])[] = ACTIONS.filter(([{ name }]) => !APART.has(name));
/** Actions that interrupt an action more often than others: those that decide about the same thing. */
const RIVALS: Readonly<Record<string, readonly string[]>> = {
  'pay-out ETH': ['decide', 'reorganise'],
  'pay-out BTC': ['decide', 'reorganise'],
  'pay-batches': ['batch-cancel', 'batch'],
  batch: ['batch', 'withdraw-all'],
  'pay-out BLN': ['decide', 'pay-out BLN', 'ln-end'],
  'follow ETH': ['reorganise', 'mine-many'],
  'follow BTC': ['reorganise', 'mine-many'],
  'follow BLN': ['ln-pay', 'follow BLN'],
  deliver: ['deliver', 'send-again'],
  refund: ['refund', 'withdraw-all'],
  withdraw: ['ask-again', 'withdraw-all'],
  'ask-again': ['ask-again'],
  'ln-withdraw': ['ln-again'],
  rotate: ['use-keys'],
  terminate: ['follow ETH', 'follow BTC'],
};
const NAMED = new Map(ACTIONS.map(([action]) => [action.name, action]));
/** Longer than an order may be paid. */
const PAST_DEADLINE_MS = 1_900_000;
/** The product's full ledger check runs once in this many steps, because it reads everything. */
const FULL_CHECK_EVERY = 100;

/** Plays a scenario. The same scenario gives the same log, byte for byte. */
export async function play(scenario: Scenario, log: Log | null = null): Promise<Ending> {
  const { seed, database } = scenario;
  const simDatabase = database === undefined ? await SqliteDatabase.open() : await PgDatabase.open(database, seed);
  return new Run(scenario, await World.create(seed, simDatabase), log).play();
}

class Run {
  readonly #scenario: Scenario;
  readonly #world: World;
  readonly #rules: Rules;
  readonly #log: Log | null;
  readonly #hash = createHash('sha256');
  readonly #tally = new Map<string, number>();
  #played = 0;
  #breach: string | null = null;

  constructor(scenario: Scenario, world: World, log: Log | null) {
    this.#scenario = scenario;
    this.#world = world;
    this.#log = log;
    this.#rules = new Rules(world);
  }

  async play(): Promise<Ending> {
    const { steps, only = Array.from({ length: steps }, (_, step) => step) } = this.#scenario;
    let at = steps;
    for (const step of only) {
      await this.#step(step);
      if (this.#breach === null && this.#played % FULL_CHECK_EVERY === 0) await this.#fullCheck();
      at = step;
      if (this.#breach !== null) break;
    }
    if (this.#breach === null) {
      at = steps;
      await this.#end();
    }
    for (const [name, count] of this.#world.driver.counts) this.#tally.set(name, count);
    this.#world.close();
    return {
      breach: this.#breach,
      step: at,
      played: this.#played,
      digest: this.#hash.digest('hex'),
      tally: this.#tally,
    };
  }

  async #step(step: number): Promise<void> {
    const world = this.#world;
    await world.driver.ready();
    world.crowded = false;
    const random = new SimRandom(this.#scenario.seed, step + 1);
    world.advance(
      random.weighted<() => number>([
        [() => random.int(50, 2_000), 6],
        [() => random.int(2_000, 20_000), 2],
      ])(),
    );
    world.look();
    const action = random.weighted(ACTIONS);
    const scene: Scene = { world, random, instance: random.pick(world.instances) as Instance };
    const faultRandom = new SimRandom(this.#scenario.seed, step + 1, 7);
    const fault = action.faulty && !(this.#scenario.calm?.has(step) ?? false) ? chooseFault(faultRandom) : null;
    const outcome = await this.#act(action, scene, fault, faultRandom);
    this.#judge(String(step), action.name, outcome);
  }

  /** One action of an instance, with its fault. */
  async #act(action: Action, scene: Scene, fault: Fault | null, random: SimRandom): Promise<string> {
    const { gate } = scene.instance;
    if (!action.faulty) return await action.run(scene);
    const notes: string[] = [];
    const concurrent = this.#world.driver.pause === null ? [] : concurrentActionsOf(action, scene, random, MEANWHILE);
    this.#world.crowded = concurrent.length > 0;
    // A paused action would wait for concurrent ones, and they for the locks that it holds.
    gate.arm(concurrent.length > 0 && fault?.kind === 'pause' ? null : fault, () =>
      this.#meanwhile(action, scene, random, notes),
    );
    const together = concurrent.map((companion) => this.#join(companion, random));
    const outcome = (await Promise.all([this.#attempt(action, scene), ...together])).join(' + ');
    await gate.calm();
    const happened = gate.disarm();
    if (gate.dead) {
      this.#world.replace(scene.instance);
      this.#count('crash');
    }
    if (!happened || fault === null) return outcome;
    this.#count(`fault ${fault.kind}`);
    return `${outcome} (${fault.kind} ${fault.at}${notes.map((note) => `; ${note}`).join('')})`;
  }

  /** Runs an action concurrently with another, each of their statements in its turn. */
  async #join({ action, instance, after }: ConcurrentAction, random: SimRandom): Promise<string> {
    const own = new SimRandom(random.int(0, 2 ** 31), after);
    for (let i = after; i > 0; i--) await this.#world.driver.pause?.();
    if (!action.faulty) this.#world.upheavals += 1;
    return `${action.name} ${await this.#attemptMeanwhile(action, { world: this.#world, random: own, instance })}`;
  }

  async #attempt(action: Action, scene: Scene): Promise<string> {
    try {
      return await action.run(scene);
    } catch (error) {
      if (error instanceof Crash) return 'crashed';
      if (isTillgateError(error)) return `refused ${error.code}`;
      this.#breach ??= `unexpected-error: ${action.name}: ${error instanceof Error ? error.message : String(error)}`;
      return 'failed';
    }
  }

  /**
   * While one call of an instance waits, the world continues: mostly other instances, and enough time to lose a lease.
   */
  async #meanwhile(interrupted: Action, scene: Scene, random: SimRandom, notes: string[]): Promise<void> {
    if (random.chance(0.5)) this.#world.advance(random.int(16_000, 40_000));
    let other = random.pick(this.#world.instances.filter((instance) => instance !== scene.instance));
    if (other === undefined && random.chance(0.5)) other = this.#world.start();
    const rivals = RIVALS[interrupted.name] ?? [];
    for (let i = random.int(1, 4); i > 0; i--) {
      const rival = random.chance(0.4) ? NAMED.get(random.pick(rivals) ?? '') : undefined;
      const action = rival ?? random.weighted(MEANWHILE);
      if (action.faulty && other === undefined) continue;
      const outcome = await this.#attemptMeanwhile(action, {
        world: this.#world,
        random,
        instance: other ?? scene.instance,
      });
      notes.push(`${action.name} ${outcome}`);
    }
    if (interrupted.name.startsWith('follow') && random.chance(0.25)) await this.#lastMinute(scene, random, notes);
    this.#world.upheavals += 1;
  }

  /** An order is paid in its last minute, and the minute passes, while a follower is paused. */
  async #lastMinute({ instance }: Scene, random: SimRandom, notes: string[]): Promise<void> {
    const scene: Scene = { world: this.#world, random, instance };
    for (const name of ['pay', 'ln-pay', 'mine', 'mine-many'])
      notes.push(`${name} ${await (NAMED.get(name) as Action).run(scene)}`);
    this.#world.look();
    this.#world.advance(PAST_DEADLINE_MS);
  }

  async #attemptMeanwhile(action: Action, scene: Scene): Promise<string> {
    return action.faulty ? this.#attempt(action, scene) : await action.run(scene);
  }

  #judge(at: string, name: string, outcome: string): void {
    this.#played += 1;
    this.#count(name);
    const [breach] = this.#rules.check();
    this.#breach ??= breach ?? this.#scenario.broken?.({ tally: (action) => this.#tally.get(action) ?? 0 }) ?? null;
    this.#write(`${at} ${this.#world.now} ${name}: ${outcome}`);
    if (this.#breach !== null) this.#write(`broken ${this.#breach}`);
  }

  async #fullCheck(): Promise<void> {
    const breaches = await checkLedger(this.#world.settings.storage);
    const breach = breaches.find((each) => !this.#isExplained(each));
    if (breach !== undefined) this.#breach ??= `ledger-check: ${breach.invariant}: ${breach.detail}`;
  }

  /** A chain may hold less than is owed after a loss by a reorganisation or a restored backup. */
  #isExplained({ invariant }: LedgerBreach): boolean {
    if (invariant !== 'a chain holds what is owed') return false;
    const lost = this.#world.driver.all("SELECT 1 FROM ledger_balances WHERE account = 'loss:reorganisation'");
    return lost.length > 0 || this.#world.restores > 0;
  }

  /** Nothing goes wrong any more, so everything must come to its end. */
  async #end(): Promise<void> {
    await this.#world.driver.ready();
    const settlement = new Settlement(this.#world, this.#rules);
    await settlement.run(async (name, instance, work) => {
      if (this.#breach !== null) return;
      const action: Action = { name, weight: 0, faulty: true, run: work };
      const outcome = await this.#attempt(action, {
        world: this.#world,
        random: new SimRandom(this.#scenario.seed),
        instance,
      });
      this.#judge('end', name, outcome);
    });
    if (this.#breach === null) await this.#fullCheck();
    this.#breach ??= eventBreach(this.#world);
    this.#breach ??= settlement.problems()[0] ?? null;
    if (this.#breach !== null) this.#write(`broken ${this.#breach}`);
  }

  #count(name: string): void {
    this.#tally.set(name, (this.#tally.get(name) ?? 0) + 1);
  }

  #write(line: string): void {
    this.#hash.update(line).update('\n');
    this.#log?.(line);
  }
}

/** A third of the steps have a fault, mostly at one of the first calls. */
function chooseFault(random: SimRandom): Fault | null {
  if (!random.chance(0.33)) return null;
  const kind = random.weighted<Fault['kind']>([
    ['pause', 4],
    ['crash-before', 2],
    ['crash-after', 2],
    ['fail-before', 2],
    ['fail-after', 2],
  ]);
  return {
    kind,
    at: random.weighted<() => number>([
      [() => random.int(1, 6), 3],
      [() => random.int(1, 20), 2],
      [() => random.int(1, 60), 1],
    ])(),
  };
}
