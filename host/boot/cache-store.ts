import { RedisCacheStore } from '../../adapters/cache/index.ts';
import type { CacheStore, Logger, Storage } from '../../core/index.ts';
import { configError } from '../settings/config.ts';
import type { TillConfig } from '../settings/settings.ts';
import { missingPeer, missingPeerWords } from './missing-peer.ts';

type CacheSettings = TillConfig['gateway']['cache'];

/** The store of the answers that gateways share; `null` where each instance has its own in memory. */
export function cacheStoreOf({ store, url }: CacheSettings, storage: Storage, logger: Logger): CacheStore | null {
  if (store === 'database') return storage.answers;
  if (store === 'memory' || url === undefined) return null;
  return new RedisCacheStore({
    url,
    onError: (reason) => logger.debug('the connection to the shared cache failed', { reason }),
  });
}

/** @throws TillgateError `CONFIG_INVALID` when the package for the store is not installed */
export async function checkCachePeer({ store }: CacheSettings): Promise<void> {
  if (store !== 'redis') return;
  try {
    await import('ioredis');
  } catch (error) {
    const peer = missingPeer(error);
    if (peer === null) throw error;
    throw configError([
      { path: 'gateway.cache.store', message: missingPeerWords(peer, 'the setting gateway.cache.store') },
    ]);
  }
}
