import { FakeLightningNode } from '../../../support/lightning/fake-node.ts';
import { serveLnd } from '../../../support/lightning/fake-lnd.ts';

/** What the parent must know of the node. */
export interface BenchLightningNode {
  readonly url: string;
  readonly certificate: string;
  /** The same without TLS, for a program that the certificate does not suit: it names no host. */
  readonly plainUrl: string;
}

/** Runs as a child process: lnd's REST interface in front of a node without a network. The macaroon is its argument. */
const [macaroon = ''] = process.argv.slice(2);
const node = new FakeLightningNode(new Map());
const { url, certificate } = await serveLnd(node, macaroon);
const { url: plainUrl } = await serveLnd(node, macaroon, false);
process.send?.({ url, certificate, plainUrl } satisfies Partial<Record<keyof BenchLightningNode, string | null>>);
