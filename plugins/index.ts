/**
 * The plugins that come with Tillgate, by the names that the configuration uses.
 *
 * @packageDocumentation
 */
export { default as ethereum } from './ethereum/index.ts';
export { default as sandbox } from './sandbox/index.ts';
