/** The logs that a subscription wants: addresses and topics in lower case, each list sorted and without repetition. */
export interface LogFilter {
  /** The contracts whose logs are wanted; empty for all. */
  readonly addresses: readonly string[];
  /** What each topic may be; an empty list for anything. A log with fewer topics than these does not match. */
  readonly topics: readonly (readonly string[])[];
}

/** The members of a log by which it is chosen, in lower case. */
export interface LogSubject {
  readonly address: string;
  readonly topics: readonly string[];
}

/** The bounds of go-ethereum, eth/filters/api.go; a filter beyond them is for the node to refuse. */
const MAX_ADDRESSES = 1_000;
const MAX_TOPICS = 4;
const MAX_ALTERNATIVES = 1_000;
const ADDRESS = /^0x[0-9a-f]{40}$/i;
const WORD = /^0x[0-9a-f]{64}$/i;
const MEMBERS: ReadonlySet<string> = new Set(['address', 'topics']);

/**
 * The filter of `eth_subscribe` with `logs`. `null` for one that is malformed or has further members: only a node can
 * say what it means.
 */
export function readLogFilter(value: unknown): LogFilter | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  if (Object.keys(value).some((name) => !MEMBERS.has(name))) return null;
  const { address = null, topics = null } = value as { readonly [Name in 'address' | 'topics']?: unknown };
  const addresses = address === null ? [] : readWords(address, ADDRESS, MAX_ADDRESSES);
  const places = topics === null ? [] : readTopics(topics);
  return addresses === null || places === null ? null : { addresses, topics: places };
}

function readTopics(value: unknown): (readonly string[])[] | null {
  if (!Array.isArray(value) || value.length > MAX_TOPICS) return null;
  const places = value.map((place: unknown) => readTopic(place));
  return places.every((place) => place !== null) ? places : null;
}

/** As go-ethereum reads it, `null` among alternatives stands for anything. */
function readTopic(value: unknown): readonly string[] | null {
  if (value === null) return [];
  if (Array.isArray(value) && value.includes(null))
    return readWords(
      value.filter((word) => word !== null),
      WORD,
      MAX_ALTERNATIVES,
    ) === null
      ? null
      : [];
  return readWords(value, WORD, MAX_ALTERNATIVES);
}

function readWords(value: unknown, form: RegExp, most: number): readonly string[] | null {
  const words: readonly unknown[] = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  if (words.length > most) return null;
  if (!words.every((word): word is string => typeof word === 'string' && form.test(word))) return null;
  return [...new Set(words.map((word) => word.toLowerCase()))].sort();
}

/** Equal for filters that choose the same logs. */
export function logFilterKey({ addresses, topics }: LogFilter): string {
  return JSON.stringify([addresses, topics]);
}

/** A test of logs against a filter, by look-ups alone. */
export function logMatcher({ addresses, topics }: LogFilter): (log: LogSubject) => boolean {
  const wanted = new Set(addresses);
  const places = topics.map((words) => new Set(words));
  return (log) =>
    (wanted.size === 0 || wanted.has(log.address)) &&
    log.topics.length >= places.length &&
    places.every((words, at) => words.size === 0 || words.has(log.topics[at] ?? ''));
}

/** One filter whose logs include those of all the given ones. Only their addresses are joined, unless there is one. */
export function unionOf(filters: readonly LogFilter[]): LogFilter {
  const [only] = filters;
  if (only !== undefined && filters.length === 1) return only;
  const addresses = new Set(filters.flatMap((filter) => filter.addresses));
  const all = addresses.size > MAX_ADDRESSES || filters.some((filter) => filter.addresses.length === 0);
  return { addresses: all ? [] : [...addresses].sort(), topics: [] };
}

/** The parameter of `eth_getLogs` for the logs of one block (EIP-234). */
export function logsOfBlock({ addresses, topics }: LogFilter, blockHash: string): object {
  return {
    blockHash,
    ...(addresses.length === 0 ? {} : { address: addresses }),
    ...(topics.length === 0 ? {} : { topics: topics.map((words) => (words.length === 0 ? null : words)) }),
  };
}
