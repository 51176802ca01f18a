import { encodeBase64Url } from './base64.ts';
import { CHALLENGE_TTL_MS, isFor } from './passkey.ts';
import type { PasskeyUse } from './passkey.ts';
import type { Clock, Digest, Random, Storage } from '../kernel/index.ts';

const CHALLENGE_BYTES = 32;
const PRUNE_BATCH = 100;

export interface PasskeyChallengesDeps {
  readonly storage: Pick<Storage, 'transaction' | 'passkeys'>;
  readonly random: Random;
  readonly digest: Pick<Digest, 'sha256Hex'>;
  readonly clock: Clock;
}

/** Random values that authenticators sign. Each can be answered once for its use, within minutes. */
export class PasskeyChallenges {
  readonly #deps: PasskeyChallengesDeps;

  constructor(deps: PasskeyChallengesDeps) {
    this.#deps = deps;
  }

  async give(use: PasskeyUse): Promise<string> {
    const { storage, random, digest, clock } = this.#deps;
    const now = clock.now();
    await storage.passkeys.pruneChallenges(now, PRUNE_BATCH);
    const challenge = encodeBase64Url(random.bytes(CHALLENGE_BYTES));
    const { accountId, purpose, sessionHash } = use;
    const record = {
      hash: digest.sha256Hex(challenge),
      accountId,
      purpose,
      sessionHash,
      expiresAt: now + CHALLENGE_TTL_MS,
    };
    await storage.transaction(async (tx) => {
      // Without the lock, two concurrent challenges would each be missed when the oldest are dropped.
      await tx.accounts.lock(accountId);
      await tx.passkeys.addChallenge(record);
    });
    return challenge;
  }

  /** Consumes a challenge, whatever the outcome; false unless it was issued for this use. */
  async take(challenge: string, use: PasskeyUse): Promise<boolean> {
    const { storage, digest, clock } = this.#deps;
    const found = await storage.transaction((tx) => tx.passkeys.takeChallenge(digest.sha256Hex(challenge)));
    return found !== null && isFor(found, use, clock.now());
  }
}
