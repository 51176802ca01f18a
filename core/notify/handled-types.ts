import { invalidField, TillgateError } from '../kernel/index.ts';
import type { Storage } from '../kernel/index.ts';
import { SUBSCRIBABLE } from './event-types.ts';
import type { HandledType } from './event-types.ts';
import { HANDLERS } from './webhook.ts';

type Stored = Awaited<ReturnType<Storage['documents']['read']>>;

/** The most events that one transaction gives up. */
const BATCH = 1000;

/** @throws TillgateError `INVALID_FIELDS` for a type that cannot be handled in process */
export function checkHandledType(type: HandledType): void {
  if (!SUBSCRIBABLE.includes(type)) throw invalidField('type', `must be one of ${SUBSCRIBABLE.join(', ')}`);
}

/**
 * The types whose events every instance writes to the outbox for the till's own handlers: those that ever had a handler in
 * some process, until they are forgotten.
 */
export class HandledTypes {
  readonly #storage: Pick<Storage, 'documents' | 'transaction'>;
  readonly #handled: () => readonly HandledType[];
  /** Those of the own handlers that are known to be stored. */
  readonly #stored = new Set<HandledType>();
  /** The change of the list that was begun last; the next one waits for it. */
  #last: Promise<void> = Promise.resolve();

  /** @param handled - the types that have a handler in this process */
  constructor(storage: Pick<Storage, 'documents' | 'transaction'>, handled: () => readonly HandledType[]) {
    this.#storage = storage;
    this.#handled = handled;
  }

  /** From when it resolves, events of the handlers' types are written. */
  async subscribe(): Promise<void> {
    while (this.#handled().some((type) => !this.#stored.has(type))) await this.#alone(() => this.#add());
  }

  /**
   * Ends the writing of events of a type, and gives up those that wait to be handled: the first {@link BATCH} in the
   * transaction that takes the type off the list, the others after it.
   *
   * @returns how many events were given up
   * @throws TillgateError `INVALID_FIELDS` for an unknown type; `STATE_CONFLICT` while this process has a handler of it
   */
  async forget(type: HandledType): Promise<number> {
    checkHandledType(type);
    this.#refuseHandled(type);
    return this.#alone(async () => {
      // One may have been added while an earlier change was waited for. One that is added from now on stores its type anew.
      this.#refuseHandled(type);
      this.#stored.delete(type);
      let total = 0;
      for (;;) {
        const given = await this.#forgetSome(type);
        if (given === 0) return total;
        total += given ?? 0;
      }
    });
  }

  /** @returns how many events were given up; `null` when another instance has changed the list meanwhile */
  async #forgetSome(type: HandledType): Promise<number | null> {
    const stored = await this.#storage.documents.read(HANDLERS);
    const types = typesOf(stored);
    const rest = types.filter((each) => each !== type);
    return this.#storage.transaction(async ({ documents, callbacks }) => {
      const isListed = stored !== null && rest.length < types.length;
      if (isListed && !(await documents.write(HANDLERS, JSON.stringify(rest), stored.version))) return null;
      return callbacks.giveUpHandled(type, BATCH);
    });
  }

  async #add(): Promise<void> {
    const { documents } = this.#storage;
    const wanted = this.#handled();
    for (;;) {
      const stored = await documents.read(HANDLERS);
      const types = typesOf(stored);
      const all = [...new Set([...types, ...wanted])];
      if (all.length === types.length || (await documents.write(HANDLERS, JSON.stringify(all), stored?.version ?? 0)))
        break;
    }
    for (const type of wanted) this.#stored.add(type);
  }

  #refuseHandled(type: HandledType): void {
    if (this.#handled().includes(type))
      throw new TillgateError('STATE_CONFLICT', `This process has a handler of ${type}; remove the handler first.`);
  }

  /** Makes one change of the list after the other, so that none takes back what another has just done. */
  #alone<T>(change: () => Promise<T>): Promise<T> {
    const made = this.#last.then(change);
    const over = (): void => undefined;
    this.#last = made.then(over, over);
    return made;
  }
}

function typesOf(stored: Stored): readonly string[] {
  return stored === null ? [] : (JSON.parse(stored.value) as readonly string[]);
}
