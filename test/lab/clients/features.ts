import assert from 'node:assert/strict';
import { assertMined, numberOf, RICH_BALANCE } from './world.ts';
import type { World } from './world.ts';

/** What a program says that it got; each feature has its own form of it. */
type Check = (said: string, world: World) => Promise<void>;

const isChainId: Check = async (said, { anvil }) => assert.equal(BigInt(said), BigInt(anvil.chainId));
const isBlock: Check = async (said, world) => assert.ok((await numberOf(world, said)) > 0n);

/**
 * What is tried with each client, with the check of what its program printed for it: `FEATURE VALUE`, a line each. The node
 * is asked whether that is so, not the program.
 */
export const FEATURES = {
  'http-header': { title: 'call over HTTP, key in the header', check: isChainId },
  'http-path': { title: 'call over HTTP, key in the path', check: isChainId },
  'http-batch': {
    title: 'batch over HTTP: chain id and a balance',
    check: async (said, { anvil }) =>
      assert.deepEqual(said.split(' ').map(BigInt), [BigInt(anvil.chainId), RICH_BALANCE]),
  },
  transaction: { title: 'raw transaction and its receipt', check: async (said, world) => assertMined(world, said) },
  'http-restart': { title: 'call after the gateway was restarted', check: isChainId },
  'ws-header': { title: 'call over WebSocket, key in the header', check: isChainId },
  'ws-path': { title: 'call over WebSocket, key in the path', check: isChainId },
  subscription: { title: 'subscription to blocks', check: isBlock },
  'ws-restart': { title: 'blocks after the gateway was restarted', check: isBlock },
} as const satisfies Readonly<Record<string, { readonly title: string; readonly check: Check }>>;

export type Feature = keyof typeof FEATURES;
export const FEATURE_NAMES = Object.keys(FEATURES) as readonly Feature[];
