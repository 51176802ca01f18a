export { greenfieldOperations } from './operations.ts';
export { greenfieldFormat } from './webhook-format.ts';
export type { GreenfieldDeps } from './deps.ts';
