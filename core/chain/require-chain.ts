import type { ChainAdapter, ChainRegistry } from './chain-adapter.ts';
import type { ChainCode } from '../kernel/index.ts';
import { TillgateError } from '../kernel/index.ts';

/** The chain with this code. @throws TillgateError `UNSUPPORTED` when it is not configured */
export function requireChain(chains: ChainRegistry, code: ChainCode): ChainAdapter {
  const chain = chains.get(code);
  if (chain === undefined) throw new TillgateError('UNSUPPORTED', `The chain ${code} is not configured.`);
  return chain;
}
