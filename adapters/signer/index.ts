/**
 * A signer in a separate process: its journal, its server, and the till's client for it.
 *
 * @packageDocumentation
 */
export { SIGNER_PROTOCOL } from './protocol.ts';
export type { SignerReplies } from './protocol.ts';
export { SignerClient } from './signer-client.ts';
export type { SignerAddress } from './signer-client.ts';
export { SignerServer } from './signer-server.ts';
export type { SignerListen, SignerServerDeps } from './signer-server.ts';
export { SqliteJournal } from './sqlite-journal.ts';
