import { FakeLightningNode } from '../../../support/lightning/fake-node.ts';
import { serveLnd } from '../../../support/lightning/fake-lnd.ts';

/** What the parent must know of the node. */
export interface BenchLightningNode {
  readonly url: string;
  readonly certificate: string;
}

/** Runs as a child process: lnd's REST interface in front of a node without a network. The macaroon is its argument. */
const [macaroon = ''] = process.argv.slice(2);
const { url, certificate } = await serveLnd(new FakeLightningNode(new Map()), macaroon);
process.send?.({ url, certificate } satisfies Partial<Record<keyof BenchLightningNode, string | null>>);
