import { z } from 'zod';

/** A whole number in bounds. */
export const count = (minimum: number, maximum: number): z.ZodNumber => z.int().min(minimum).max(maximum);

/** The URL of a node. */
export const nodeUrl = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'must be an http or https URL');
const MOST_NODES = 16;
export const nodeUrls = z.array(nodeUrl).min(1, 'at least one node URL is needed').max(MOST_NODES);

/** The options that every chain's plugin accepts. */
export const chainFields = {
  confirmations: count(1, 10_000).optional(),
  spendableConfirmations: count(1, 10_000).optional(),
  finalityBlocks: count(1, 10_000).optional(),
  pollIntervalMs: count(100, 600_000).optional(),
  startBlock: count(0, Number.MAX_SAFE_INTEGER).optional(),
  /**
   * The age of the head, in seconds, from which the chain counts as lagging; `null` for a network where blocks are
   * rare.
   */
  maxLagSeconds: count(10, 86_400).nullable().optional(),
  xpub: z.string().min(1).optional(),
  /**
   * The number of nodes that must agree about a deposit, and before a payment; with 1, the first answer is accepted.
   */
  quorum: count(1, MOST_NODES).optional(),
  /** True: nodes on other machines may be asked without TLS in production. */
  insecureNodes: z.boolean().optional(),
} as const;

/** The confirmations that a deposit needs to be credited, and to be spendable. */
export interface Depths {
  readonly confirmations: number;
  readonly spendableConfirmations: number;
}

/** A configured `confirmations` without the other sets both. */
export function depthsOf(given: { readonly [Depth in keyof Depths]?: number | undefined }, usual: Depths): Depths {
  const confirmations = given.confirmations ?? usual.confirmations;
  return {
    confirmations,
    spendableConfirmations:
      given.spendableConfirmations ??
      (given.confirmations === undefined ? usual.spendableConfirmations : confirmations),
  };
}

/** The quorum and age limits for a chain's nodes. */
export interface NodeTrust {
  readonly quorum: number;
  readonly insecureNodes: boolean;
}

/** Of several nodes two must agree, unless the settings say otherwise. */
export function nodeTrustOf(
  given: { readonly [Field in keyof NodeTrust]?: NodeTrust[Field] | undefined },
  urls: readonly string[],
): NodeTrust {
  return { quorum: given.quorum ?? Math.min(nodesAt(urls).size, 2), insecureNodes: given.insecureNodes ?? false };
}

/** The problem of a quorum that the nodes cannot reach. */
export function quorumProblems(
  { quorum }: NodeTrust,
  urls: readonly string[],
): { readonly path: string; readonly message: string }[] {
  const { size } = nodesAt(urls);
  return quorum > size && size > 0
    ? [{ path: 'quorum', message: `must not be more than the number of hosts in the URLs, which is ${size}` }]
    : [];
}

/** The places of the URLs of each node: two URLs of one host are one node that is reached in two ways. */
export function nodesAt(urls: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const nodes = new Map<string, number[]>();
  urls.forEach((url, place) => {
    const { host } = new URL(url);
    nodes.set(host, [...(nodes.get(host) ?? []), place]);
  });
  return nodes;
}

/** The problem of contradictory depths. */
export function depthProblems({
  confirmations,
  spendableConfirmations,
}: Depths): { readonly path: string; readonly message: string }[] {
  return spendableConfirmations < confirmations
    ? [{ path: 'spendableConfirmations', message: 'must not be less than confirmations' }]
    : [];
}

/** This many consecutive blocks do not fail to arrive by chance. */
const MISSED_BLOCKS = 12;
const LEAST_MAX_LAG_SECONDS = 60;

/**
 * The maximum age of the head in milliseconds: as given, otherwise derived from the time between blocks. Test networks
 * may have no blocks for days, so they have no limit.
 */
export function maxLagMsOf(
  given: number | null | undefined,
  { blockSeconds }: { readonly blockSeconds: number },
  mainNetwork: boolean,
): number | null {
  const usual = mainNetwork ? Math.max(MISSED_BLOCKS * blockSeconds, LEAST_MAX_LAG_SECONDS) : null;
  const seconds = given === undefined ? usual : given;
  return seconds === null ? null : seconds * 1_000;
}
