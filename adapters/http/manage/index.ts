export * from './deps.ts';
export * from './operations.ts';
export type { NamedOperation, OperatorCall } from './operation.ts';
