import type { DEFINITIONS } from './definitions.ts';

/**
 * The plugins that come with Tillgate: one for each defined chain, further EVM chains, Lightning, the sandbox, and
 * notifiers.
 */
export type BuiltInName = keyof typeof DEFINITIONS | 'evm' | 'lightning' | 'sandbox' | 'smtp' | 'chat';

const LOADERS: Readonly<Record<BuiltInName, () => Promise<{ readonly default: unknown }>>> = {
  ethereum: () => import('./ethereum/index.ts'),
  bsc: () => import('./bsc/index.ts'),
  evm: () => import('./evm/index.ts'),
  bitcoin: () => import('./bitcoin/index.ts'),
  litecoin: () => import('./litecoin/index.ts'),
  tron: () => import('./tron/index.ts'),
  lightning: () => import('./lightning/index.ts'),
  sandbox: () => import('./sandbox/index.ts'),
  smtp: () => import('./smtp/index.ts'),
  chat: () => import('./chat/index.ts'),
};

export const BUILT_IN_NAMES: readonly string[] = Object.keys(LOADERS);

export function isBuiltIn(name: string): name is BuiltInName {
  return Object.hasOwn(LOADERS, name);
}

/** Imports a plugin; its engine and that engine's packages are loaded only then. */
export async function loadBuiltIn(name: BuiltInName): Promise<unknown> {
  return (await LOADERS[name]()).default;
}
