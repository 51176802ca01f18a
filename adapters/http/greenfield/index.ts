export { greenfieldOperations } from './operations.ts';
export { GREENFIELD_FORMAT, greenfieldFormat } from './webhook-format.ts';
export type { GreenfieldDeps } from './deps.ts';
