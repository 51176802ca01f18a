import { TillgateError, present } from '../../core/index.ts';
import { PREFIXES } from './payment-request.ts';

/** What a node says of itself. */
export interface NodeSelf {
  /** As in {@link PREFIXES}. */
  readonly network: string;
  /** Its public key, hexadecimal. */
  readonly key: string;
}

/** Who a node is, asked once and then known. */
export class NodeIdentity {
  readonly #wanted: string | null;
  readonly #ask: () => Promise<NodeSelf>;
  #self: NodeSelf | null = null;

  constructor(wanted: string | null, ask: () => Promise<NodeSelf>) {
    this.#wanted = wanted;
    this.#ask = ask;
  }

  /** @throws TillgateError `CHAIN_HALTED` on a network that is not the configured one, or none that is known here */
  async identify(): Promise<string> {
    const { network, key } = await this.#ask();
    if (PREFIXES[network] === undefined || (this.#wanted !== null && network !== this.#wanted)) {
      throw new TillgateError('CHAIN_HALTED', `The Lightning node is on ${network}, and the configuration wants ${this.#wanted ?? 'one of Bitcoin’s networks'}.`);
    }
    this.#self = { network, key: key.toLowerCase() };
    return `lightning:${network}/${this.#self.key}`;
  }

  /** What the node last said of itself. @throws TillgateError as {@link identify} does */
  async self(): Promise<NodeSelf> {
    if (this.#self === null) await this.identify();
    return present(this.#self, 'a node that was asked who it is');
  }
}
