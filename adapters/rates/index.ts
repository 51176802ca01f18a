/** Sources of prices. @packageDocumentation */
export * from './coin-gecko-source.ts';
export * from './kraken-source.ts';
export * from './static-source.ts';
