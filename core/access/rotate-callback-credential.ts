import { newCallbackSecrets } from './key-text.ts';
import { TillgateError } from '../kernel/index.ts';
import type { AccountId } from '../kernel/index.ts';
import type { CallbackSecrets } from './account.ts';
import type { CallbackCredentialDeps } from './credential-record.ts';
import { sealCallbackSecrets } from './credential-record.ts';

/** How long callbacks are signed with the previous secrets too, in milliseconds. */
export const CALLBACK_OVERLAP_MS = 24 * 3_600_000;

/** Rotates the callback secrets of an account. For 24 hours, callbacks are signed with the previous ones too. */
export class RotateCallbackCredential {
  readonly #deps: CallbackCredentialDeps;

  constructor(deps: CallbackCredentialDeps) {
    this.#deps = deps;
  }

  /** @throws TillgateError `NOT_FOUND` when the account has none, `STATE_CONFLICT` after a concurrent rotation. */
  async run(accountId: AccountId): Promise<CallbackSecrets> {
    const { storage, vault, random, clock } = this.#deps;
    const present = await storage.accounts.findCallbackCredential(accountId);
    if (present === null) throw new TillgateError('NOT_FOUND', 'The account has no callback credential.');
    const secrets = newCallbackSecrets(random);
    const now = clock.now();
    const rotated = await storage.accounts.rotateCallbackCredential(present.sealed, {
      accountId,
      sealed: sealCallbackSecrets(accountId, secrets, vault),
      previousSealed: present.sealed,
      previousUntil: now + CALLBACK_OVERLAP_MS,
      createdAt: now,
    });
    if (!rotated)
      throw new TillgateError('STATE_CONFLICT', 'The callback credential was rotated by another request just now.');
    return secrets;
  }
}
