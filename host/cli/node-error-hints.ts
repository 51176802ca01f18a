import type { Logger, LogFields } from '../../core/index.ts';

/** The most likely cause of a node's failure, by its error text; the first match counts. */
const CAUSES: readonly (readonly [sign: RegExp, words: string])[] = [
  [/ECONNREFUSED/, 'nothing listens there: is the node running, and is the port right?'],
  [/ENOTFOUND|EAI_AGAIN/, 'the host name is unknown: is it spelled right?'],
  [/EHOSTUNREACH|ENETUNREACH/, 'this machine has no route to that address'],
  [
    /no answer in time|TIMEOUT|ETIMEDOUT/,
    'is the address right, does a firewall block it, or is the node still starting?',
  ],
  [
    /ECONNRESET|EPIPE|UND_ERR_SOCKET|WRONG_VERSION_NUMBER|HPE_/,
    'the connection was closed: is it https where http is configured, the other way round, or not a node’s HTTP port?',
  ],
  [/CERT|SIGNATURE|ERR_TLS/, 'its certificate is not accepted'],
  [/HTTP 401|HTTP 407/, 'it does not accept the configured user, password or key, or another program listens there'],
  [/HTTP 402|HTTP 403/, 'it refuses this key or this address'],
  [
    /HTTP 404|HTTP 3\d\d/,
    'something answers there, but no node of this chain: is it another chain’s port, or is the path wrong?',
  ],
  [/HTTP 429|limit/i, 'it allows fewer requests than are made'],
  [/HTTP 5\d\d/, 'the node has an internal error, or is still starting'],
  [/-28\b/, 'it is still starting; wait until it has read its blocks'],
  [
    /-32601|no JSON-RPC reply|is no JSON|is not a node/,
    'something answers there, but no node of this chain: is it another chain’s port?',
  ],
  [
    /is on chain|is on the Tron network|first block/,
    'is it another network’s node? Correct its address, or the network in the plugin’s options',
  ],
];

/** Appends the likely cause to a message, if one matches. */
export function withCause(message: string): string {
  const words = CAUSES.find(([sign]) => sign.test(message))?.[1];
  return words === undefined ? message : `${message.replace(/\.$/, '')} (${words})`;
}

/** Collects log lines about failed nodes that another node replaced. */
export class CollectingLogger implements Logger {
  readonly #problems: string[];

  constructor(problems: string[] = []) {
    this.#problems = problems;
  }

  /** The problems since the last call, each once. */
  take(): readonly string[] {
    return [...new Set(this.#problems.splice(0))];
  }

  debug(): void {
    // Not useful for diagnosis.
  }

  info(): void {
    // Only the reason is useful for diagnosis.
  }

  warn(message: string, { reason }: LogFields = {}): void {
    this.#problems.push(typeof reason === 'string' ? withCause(reason) : message);
  }

  error(message: string, fields: LogFields = {}): void {
    this.warn(message, fields);
  }

  child(): Logger {
    return this;
  }
}
