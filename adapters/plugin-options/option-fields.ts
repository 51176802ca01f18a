import { z } from 'zod';

/** A whole number in bounds. */
export const count = (minimum: number, maximum: number): z.ZodNumber => z.int().min(minimum).max(maximum);

/** Where a node is asked. */
export const nodeUrl = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'must be an http or https URL');
const MOST_NODES = 16;
export const nodeUrls = z.array(nodeUrl).min(1, 'at least one node URL is needed').max(MOST_NODES);

/** What every chain's plugin takes (decisions, section 10). */
export const chainFields = {
  confirmations: count(1, 10_000).optional(),
  spendableConfirmations: count(1, 10_000).optional(),
  finalityBlocks: count(1, 10_000).optional(),
  pollIntervalMs: count(100, 600_000).optional(),
  startBlock: count(0, Number.MAX_SAFE_INTEGER).optional(),
  /** How old the head may be before the chain counts as lagging; `null` for a network where blocks are rare. */
  maxLagSeconds: count(10, 86_400).nullable().optional(),
  xpub: z.string().min(1).optional(),
  /** How many of the nodes have to agree about a deposit, and before a payment; one believes the first that answers. */
  quorum: count(1, MOST_NODES).optional(),
  /** True: nodes on other machines may be asked without TLS in production. */
  insecureNodes: z.boolean().optional(),
} as const;

/** How many confirmations a deposit needs to be credited, and to be spendable. */
export interface Depths {
  readonly confirmations: number;
  readonly spendableConfirmations: number;
}

/** A configured `confirmations` without the other sets both (decisions, section 4). */
export function depthsOf(given: { readonly [Depth in keyof Depths]?: number | undefined }, usual: Depths): Depths {
  const confirmations = given.confirmations ?? usual.confirmations;
  return {
    confirmations,
    spendableConfirmations:
      given.spendableConfirmations ??
      (given.confirmations === undefined ? usual.spendableConfirmations : confirmations),
  };
}

/** How a chain's nodes are asked (decisions, section 11). */
export interface NodeTrust {
  readonly quorum: number;
  readonly insecureNodes: boolean;
}

/** Two of several have to agree, unless the settings say otherwise. */
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
    ? [{ path: 'quorum', message: `needs URLs of as many hosts; there are ${size}` }]
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

/** The problem of depths that contradict each other. */
export function depthProblems({
  confirmations,
  spendableConfirmations,
}: Depths): { readonly path: string; readonly message: string }[] {
  return spendableConfirmations < confirmations
    ? [{ path: 'spendableConfirmations', message: 'must not be less than confirmations' }]
    : [];
}

/** So many blocks do not fail to come by chance. */
const MISSED_BLOCKS = 12;
const LEAST_MAX_LAG_SECONDS = 60;

/**
 * How old the head may be, in milliseconds: as given, else by the time that blocks take. Networks for tests may have none for
 * days: no age is too old there.
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
