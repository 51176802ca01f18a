import { testCacheStore } from '../../support/cache-store-contract.ts';
import { MemoryCacheStore } from '../../support/memory-cache-store.ts';

testCacheStore('the store of the tests', () => Promise.resolve(new MemoryCacheStore()));
