export * from './base.ts';
export * from './deps.ts';
export * from './operations.ts';
