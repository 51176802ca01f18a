import type { Logger, LogFields } from '../../core/index.ts';

/** What a node's trouble most likely is, by what the attempt to reach it left behind; the first that fits counts. */
const CAUSES: readonly (readonly [sign: RegExp, words: string])[] = [
  [/ECONNREFUSED/, 'nothing listens there: is the node running, and is the port right?'],
  [/ENOTFOUND|EAI_AGAIN/, 'no such host name is known: is it spelled right?'],
  [/EHOSTUNREACH|ENETUNREACH/, 'this machine has no way to that address'],
  [
    /no answer in time|TIMEOUT|ETIMEDOUT/,
    'is it the right address, is a firewall between, or is the node still starting?',
  ],
  [
    /ECONNRESET|EPIPE|UND_ERR_SOCKET|WRONG_VERSION_NUMBER|HPE_/,
    'what listens there hangs up: is it https where http is configured, the other way round, or not a node’s HTTP port?',
  ],
  [/CERT|SIGNATURE|ERR_TLS/, 'its certificate is not accepted'],
  [
    /HTTP 401|HTTP 407/,
    'it does not accept the user, password or key that is configured, or another program listens there',
  ],
  [/HTTP 402|HTTP 403/, 'it refuses this key or this address'],
  [
    /HTTP 404|HTTP 3\d\d/,
    'something answers there, but no node of this chain: is it another chain’s port, or is the path wrong?',
  ],
  [/HTTP 429|limit/i, 'it asks for fewer requests than are made'],
  [/HTTP 5\d\d/, 'it is in trouble itself, or still starting'],
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

/** Adds to what happened what a person should look at; other messages stay as they are. */
export function withCause(message: string): string {
  const words = CAUSES.find(([sign]) => sign.test(message))?.[1];
  return words === undefined ? message : `${message.replace(/\.$/, '')} (${words})`;
}

/** Listens to what a till would have logged: nodes that another one stood in for. */
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
    // Of no use to a person who asks what is wrong.
  }

  info(): void {
    // Nor is this.
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
