import assert from 'node:assert/strict';
import { setImmediate as breathe } from 'node:timers/promises';
import { MnemonicWallet } from '../../../adapters/wallet/index.ts';
import type { ChainAdapter, DocumentStore } from '../../../core/index.ts';
import { sandbox } from '../../../plugins/sandbox/index.ts';
import { SandboxChain } from '../../../plugins/sandbox/sandbox-chain.ts';
import { FakeClock, MemoryLogger } from '../../support/fakes.ts';

const JUNK = 'test test test test test test test test test test test junk';

/** Documents with delays like a database's, so that two instances can interleave. */
export class SlowDocuments implements DocumentStore {
  readonly #rows = new Map<string, { value: string; version: number }>();
  writes = 0;
  refused = 0;

  async read(key: string): Promise<{ value: string; version: number } | null> {
    await breathe();
    return this.#rows.get(key) ?? null;
  }

  async write(key: string, value: string, expectedVersion: number): Promise<boolean> {
    await breathe();
    const version = this.#rows.get(key)?.version ?? 0;
    if (version !== expectedVersion) {
      this.refused += 1;
      return false;
    }
    this.writes += 1;
    this.#rows.set(key, { value, version: version + 1 });
    return true;
  }

  size(key: string): number {
    return this.#rows.get(key)?.value.length ?? 0;
  }
}

/** The plugin's chains by code, as a till with a seed has them. */
export async function sandboxChains(
  documents: DocumentStore,
  { clock = new FakeClock(), signer = true }: { readonly clock?: FakeClock; readonly signer?: boolean } = {},
): Promise<Map<string, SandboxChain>> {
  const found: ChainAdapter[] = [];
  await sandbox.plugin.setup({
    options: sandbox.plugin.options(undefined),
    logger: new MemoryLogger(),
    clock,
    wallet: new MnemonicWallet(JUNK),
    signer: signer ? new MnemonicWallet(JUNK) : null,
    documents,
    addChain: (chain) => void found.push(chain),
    addLightning: () => undefined,
    addRateSource: () => undefined,
    addNotifier: () => undefined,
    onClose: () => undefined,
  });
  return new Map(
    found.map((chain) => {
      assert.ok(chain instanceof SandboxChain);
      return [chain.code, chain];
    }),
  );
}
