/** The node gateway. @packageDocumentation */
export * from './gateway.ts';
