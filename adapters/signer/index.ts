/**
 * A signer in a process of its own: its journal, its server, and the client with which a till asks it.
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
