import type { CallbackSecrets, Credential, CredentialSecrets } from '../access/index.ts';
import { callbackContext, credentialContext, ensureCallbackCredential, OpenedSecrets } from '../access/index.ts';
import { isTillgateError, present } from '../kernel/index.ts';
import type {
  AccountId,
  Clock,
  Deadline,
  Digest,
  Logger,
  Metrics,
  Millis,
  Random,
  Storage,
  Vault,
} from '../kernel/index.ts';
import type { ClaimedCallback } from './callback-store.ts';
import type { CallbackOutcome, CallbackRequest, CallbackTransport } from './callback-transport.ts';
import { webhookContext } from './webhook.ts';
import type { WebhookEndpoint, WebhookSecret } from './webhook.ts';
import type { Callback, CallbackAttempt } from './callback.ts';
import { afterAttempt } from './callback-schedule.ts';
import { SendSlots } from './send-slots.ts';
import type { SlotUser } from './send-slots.ts';
import type { CallbackSigner } from './sign.ts';
import { callbackHeaders, chooseApiKey, standardHeaders } from './sign.ts';
import { formatOf } from './webhook-format.ts';
import type { WebhookFormats } from './webhook-format.ts';

/** The settings `callbacks`. */
export interface DeliverySettings {
  /** Delays between attempts; see `CALLBACK_SCHEDULE_MS`. */
  readonly scheduleMs: readonly number[];
  /** The timeout of one whole attempt, in milliseconds. */
  readonly timeoutMs: number;
  readonly allowPrivateNetworks: boolean;
}

export interface DeliverCallbacksDeps {
  readonly storage: Pick<Storage, 'accounts' | 'callbacks' | 'webhooks'>;
  readonly transport: CallbackTransport;
  readonly vault: Vault;
  readonly digest: Digest;
  readonly random: Random;
  readonly clock: Clock;
  readonly deadline: Deadline;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly settings: DeliverySettings;
  /** Formats of endpoints besides the till's own; none by default. */
  readonly formats?: WebhookFormats;
}

const LIMITS = {
  total: 128,
  perHost: 6,
  perAccount: 32,
  waitingPerHost: 24,
  held: 512,
  heldPerAccount: 128,
} as const;
/** The number of rows that one claim takes. */
const BATCH = 64;
/** The most claims of one pass, so that it gets past the long queue of one slow host. */
const MAX_LOOKS = 20;
/** How long a pass waits for slow receivers, in milliseconds, so that they do not delay new callbacks. */
const PATIENCE_MS = 250;
const MAX_ERROR_TEXT = 200;

/**
 * Sends due callbacks, at least once each. The outcome is stored after the attempt; a crash in between sends the callback
 * again with the same `webhook-id`.
 */
export class DeliverCallbacks {
  readonly #deps: DeliverCallbacksDeps;
  readonly #slots = new SendSlots(LIMITS);
  readonly #callbackSecrets: OpenedSecrets<CallbackSecrets>;
  readonly #credentialSecrets: OpenedSecrets<CredentialSecrets>;
  readonly #webhookSecrets: OpenedSecrets<WebhookSecret>;

  constructor(deps: DeliverCallbacksDeps) {
    this.#deps = deps;
    this.#callbackSecrets = new OpenedSecrets(deps.vault);
    this.#credentialSecrets = new OpenedSecrets(deps.vault);
    this.#webhookSecrets = new OpenedSecrets(deps.vault);
  }

  /**
   * Makes one pass: claims due callbacks and sends them. Returns their number when all are done, or after 250 ms: slow
   * receivers keep their slots while the next pass runs.
   */
  async run(): Promise<number> {
    const taken = await this.#takeOn();
    const patience = this.#deps.deadline(PATIENCE_MS);
    await Promise.race([
      this.#slots.idle(),
      new Promise<void>((resolve) => patience.addEventListener('abort', () => resolve(), { once: true })),
    ]);
    return taken;
  }

  /** Resolves when nothing is being sent; for the shutdown. */
  async drain(): Promise<void> {
    await this.#slots.idle();
  }

  async #takeOn(): Promise<number> {
    let taken = 0;
    for (let look = 0; look < MAX_LOOKS; look++) {
      const limit = Math.min(BATCH, this.#slots.room());
      if (limit <= 0) break;
      const at = this.#deps.clock.now();
      const claims = await this.#deps.storage.callbacks.claimDue(at, this.#leaseMs(), limit);
      // A callback without a slot stays claimed until its lease expires, so that it does not block those of other hosts
      // and accounts.
      const accepted = claims.filter((claim) =>
        this.#slots.offer(userOf(claim.callback), async () => await this.#attempt(claim, at)),
      );
      taken += accepted.length;
      if (claims.length < limit) break;
    }
    return taken;
  }

  /** The lease covers three parts of equal length: waiting, the attempt, and storing the outcome. */
  #leaseMs(): number {
    return this.#deps.settings.timeoutMs * 3;
  }

  async #attempt(claim: ClaimedCallback, claimedAt: Millis): Promise<void> {
    const { clock, logger, metrics, settings } = this.#deps;
    // Too late to finish within the lease; the next claim sends it.
    if (clock.now() - claimedAt > settings.timeoutMs) return;
    try {
      const result = await this.#sendAndRecord(claim, clock.now());
      metrics.count('tillgate_callbacks_total', { outcome: result });
    } catch (error) {
      metrics.count('tillgate_callbacks_total', { outcome: 'unrecorded' });
      logger.error('callback attempt could not be stored; it will be retried', {
        callbackId: claim.callback.id,
        kind: kindOf(error),
      });
    }
  }

  async #sendAndRecord(claim: ClaimedCallback, at: Millis): Promise<string> {
    const { storage, clock, random, settings } = this.#deps;
    const { callback } = claim;
    const endpoint = callback.endpointId === null ? null : await storage.webhooks.find(callback.endpointId);
    // The endpoint was removed or disabled while the event was stored.
    if (callback.endpointId !== null && endpoint?.enabled !== true) return this.#giveUp(claim, at);
    const outcome = await this.#send(callback, endpoint, at);
    // As without a slot, the callback stays claimed until its lease expires.
    if (outcome.kind === 'busy') return 'busy';
    const { result, changes } = afterAttempt(outcome, callback.attempts, clock.now(), random, settings.scheduleMs);
    const attempt: CallbackAttempt = {
      callbackId: callback.id,
      at,
      durationMs: outcome.durationMs,
      httpStatus: outcome.kind === 'answered' ? outcome.status : null,
      error: outcome.kind === 'failed' ? outcome.reason.slice(0, MAX_ERROR_TEXT) : null,
    };
    return (await storage.callbacks.finish(claim, changes, attempt)) ? result : 'lost';
  }

  async #giveUp(claim: ClaimedCallback, at: Millis): Promise<string> {
    const { id, attempts } = claim.callback;
    const changes = { status: 'DEAD', attempts, nextAt: at, deliveredAt: null } as const;
    const attempt = { callbackId: id, at, durationMs: 0, httpStatus: null, error: 'endpoint-off' };
    return (await this.#deps.storage.callbacks.finish(claim, changes, attempt)) ? 'dead' : 'lost';
  }

  /** Signs and sends. Throws only when the database is unavailable; any other error is a failed attempt. */
  async #send(callback: Callback, endpoint: WebhookEndpoint | null, at: Millis): Promise<CallbackOutcome> {
    try {
      return await this.#deps.transport.send(await this.#prepare(callback, endpoint, at));
    } catch (error) {
      if (isTillgateError(error, 'NOT_READY')) throw error;
      return { kind: 'failed', reason: `not sent: ${kindOf(error)}`, durationMs: 0 };
    }
  }

  async #prepare(callback: Callback, endpoint: WebhookEndpoint | null, now: Millis): Promise<CallbackRequest> {
    const { digest } = this.#deps;
    const headers =
      endpoint === null
        ? callbackHeaders(callback, await this.#signer(callback, now), digest, now)
        : this.#endpointHeaders(callback, endpoint, now);
    const { orderId, attempts, method, url, body } = callback;
    return { accountId: ownerOf(callback), orderId, attempt: attempts + 1, method, url, headers, body };
  }

  #endpointHeaders(callback: Callback, endpoint: WebhookEndpoint, now: Millis): Readonly<Record<string, string>> {
    const { digest, formats = [] } = this.#deps;
    const format = formatOf(endpoint.format, formats);
    const secrets = this.#secretsOf(endpoint, now);
    if (format === null) return standardHeaders(callback, secrets, digest, now);
    return format.headers(callback.body ?? '', present(secrets[0], 'the present secret'), digest);
  }

  /** Includes the previous secret until its overlap ends. */
  #secretsOf({ id, sealed, previousSealed, previousUntil }: WebhookEndpoint, now: Millis): readonly string[] {
    const former = previousSealed !== null && previousUntil !== null && now < previousUntil ? [previousSealed] : [];
    return [sealed, ...former].map((text) => this.#webhookSecrets.open(webhookContext(id), text).secret);
  }

  async #signer(callback: Callback, now: Millis): Promise<CallbackSigner> {
    const { storage, settings } = this.#deps;
    const { credentialId, url } = callback;
    const accountId = ownerOf(callback);
    const account = present(await storage.accounts.find(accountId), 'the account of a callback');
    // The credential is created with the account; here only after a crash between the two.
    const signing = await ensureCallbackCredential(this.#deps, accountId);
    const credential = credentialId === null ? null : await storage.accounts.findCredential(credentialId);
    const open = (sealed: string): CallbackSecrets => this.#callbackSecrets.open(callbackContext(accountId), sealed);
    const overlapping =
      signing.previousSealed !== null && signing.previousUntil !== null && now < signing.previousUntil;
    const former = overlapping ? open(signing.previousSealed) : null;
    const secrets = open(signing.sealed);
    const policy = { allowPrivateNetworks: settings.allowPrivateNetworks, now };
    const apiKeyOf = ({ id, sealed }: Credential): string =>
      this.#credentialSecrets.open(credentialContext(id), sealed).apiKey;
    return { secrets, former, apiKey: chooseApiKey(url, account, credential, secrets, policy, apiKeyOf) };
  }
}

/** Only the till's own handlers have no account, and their events are not sent. */
function ownerOf({ accountId }: Callback): AccountId {
  return present(accountId, 'the account of a callback');
}

function userOf(callback: Callback): SlotUser {
  const { url } = callback;
  return { accountId: ownerOf(callback), host: URL.canParse(url) ? new URL(url).host : '' };
}

/** The error's name only, because its message may contain a URL or a key. */
function kindOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
