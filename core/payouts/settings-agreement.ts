import { TillgateError } from '../kernel/index.ts';
import type { Clock, Digest, DocumentStore, Millis } from '../kernel/index.ts';

/** Settings that limit money, by the names that operators use. */
export type MoneySettings = Readonly<Record<string, unknown>>;

/** The interval in milliseconds at which an instance reports that it is running. */
export const AGREEMENT_BEAT_MS: Millis = 5_000;
/** An instance without a report for this long, in milliseconds, was killed. */
const GONE_MS: Millis = 30_000;
const DOCUMENT = 'settings-agreement';
const MOST_TRIES = 50;

/** A running instance: hashes of its settings by name. */
interface Running {
  readonly at: Millis;
  readonly hashes: Readonly<Record<string, string>>;
}
type Instances = Readonly<Record<string, Running>>;

export interface SettingsAgreementDeps {
  readonly documents: DocumentStore;
  readonly clock: Clock;
  readonly digest: Pick<Digest, 'sha256Hex'>;
  /** The name of this instance. */
  readonly instance: string;
  readonly settings: MoneySettings;
}

/**
 * Ensures that instances of one database have the same money limits: an instance whose settings differ from those of a
 * running one does not start. Settings can be changed once the last instance with the old ones has stopped.
 */
export class SettingsAgreement {
  readonly #deps: SettingsAgreementDeps;
  readonly #hashes: Readonly<Record<string, string>>;
  /** The version that this instance wrote while no other ran; unchanged, none runs. `null` where others may run. */
  #aloneAt: number | null = null;

  constructor(deps: SettingsAgreementDeps) {
    this.#deps = deps;
    this.#hashes = Object.fromEntries(
      Object.entries(deps.settings).map(([name, value]) => [name, deps.digest.sha256Hex(ordered(value))]),
    );
  }

  /**
   * Compares the settings and joins; called again while the instance runs. @throws TillgateError `CONFIG_INVALID` with
   * the settings that differ
   */
  async join(): Promise<void> {
    await this.#change((others) => {
      this.#compare(others);
      return { ...others, [this.#deps.instance]: { at: this.#deps.clock.now(), hashes: this.#hashes } };
    });
  }

  /** Compares without joining. Returns the number of other running instances. @throws TillgateError as {@link join} */
  async check(): Promise<number> {
    const { others } = await this.#read();
    this.#compare(others);
    return Object.keys(others).length;
  }

  /** Leaves, so that the next instance may start with other settings at once. */
  async leave(): Promise<void> {
    await this.#change((others) => others);
  }

  #compare(others: Instances): void {
    const differing = new Set(Object.values(others).flatMap(({ hashes }) => differences(this.#hashes, hashes)));
    if (differing.size === 0) return;
    throw new TillgateError(
      'CONFIG_INVALID',
      `Another running instance of this database has other settings: ${[...differing].toSorted().join(', ')}. ` +
        'Give all instances the same settings, or stop those with the old settings first; a killed instance counts for 30 seconds.',
    );
  }

  /** @param next - computes the new list from the other running instances */
  async #change(next: (others: Instances) => Instances): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const { others, version } = this.#aloneAt === null ? await this.#read() : { others: {}, version: this.#aloneAt };
      const isWritten = await this.#deps.documents.write(DOCUMENT, JSON.stringify(next(others)), version);
      this.#aloneAt = isWritten && Object.keys(others).length === 0 ? version + 1 : null;
      if (isWritten) return;
    }
    throw new TillgateError('NOT_READY', 'Too many instances start at once: try again.');
  }

  async #read(): Promise<{ readonly others: Instances; readonly version: number }> {
    const { documents, clock, instance } = this.#deps;
    const stored = await documents.read(DOCUMENT);
    const all = stored === null ? {} : (JSON.parse(stored.value) as Instances);
    const running = Object.entries(all).filter(([id, { at }]) => id !== instance && clock.now() - at < GONE_MS);
    return { others: Object.fromEntries(running), version: stored?.version ?? 0 };
  }
}

function differences(mine: Running['hashes'], theirs: Running['hashes']): readonly string[] {
  return [...new Set([...Object.keys(mine), ...Object.keys(theirs)])].filter((name) => mine[name] !== theirs[name]);
}

/** The same text for equal values, whatever the order of their fields. */
function ordered(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) => {
    if (typeof each === 'bigint') return each.toString();
    if (each instanceof Map) return ordered([...each].map((entry) => ordered(entry)).toSorted());
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}
