import { TillgateError, present } from '../../core/index.ts';
import { PREFIXES } from './payment-request.ts';

/** The identity that a node reports. */
export interface NodeSelf {
  /** A key of {@link PREFIXES}. */
  readonly network: string;
  /** The node's public key, hexadecimal. */
  readonly key: string;
}

/** The identity of a node, requested once and cached. */
export class NodeIdentity {
  readonly #wanted: string | null;
  readonly #ask: () => Promise<NodeSelf>;
  #self: NodeSelf | null = null;

  constructor(wanted: string | null, ask: () => Promise<NodeSelf>) {
    this.#wanted = wanted;
    this.#ask = ask;
  }

  /** @throws TillgateError `CHAIN_HALTED` on another network than the configured one, or an unknown one */
  async identify(): Promise<string> {
    const { network, key } = await this.#ask();
    if (PREFIXES[network] === undefined || (this.#wanted !== null && network !== this.#wanted)) {
      throw new TillgateError(
        'CHAIN_HALTED',
        `The Lightning node is on ${network}, and the configuration requires ${this.#wanted ?? 'one of Bitcoin’s networks'}.`,
      );
    }
    this.#self = { network, key: key.toLowerCase() };
    return `lightning:${network}/${this.#self.key}`;
  }

  /** The cached identity. @throws TillgateError as {@link identify} does */
  async self(): Promise<NodeSelf> {
    if (this.#self === null) await this.identify();
    return present(this.#self, 'the identity of an identified node');
  }
}
