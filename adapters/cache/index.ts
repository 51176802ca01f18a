export { RedisCacheStore } from './redis-cache-store.ts';
export type { RedisCacheOptions } from './redis-cache-store.ts';
