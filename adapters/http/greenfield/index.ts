export { greenfieldOperations } from './operations.ts';
export type { GreenfieldDeps } from './deps.ts';
