import {
  addAuditRow,
  CALLBACK_OVERLAP_MS,
  changesOf,
  createdWith,
  listScope,
  lockLive,
  newestPage,
  recordNotFound,
  requireAccess,
  seesSecrets,
  targetAccount,
} from '../access/index.ts';
import { checkCallbackUrl } from './url.ts';
import type { CallbackPlaces } from './url.ts';
import { invalidField, isId, stateConflict } from '../kernel/index.ts';
import type {
  AccountId,
  EventBus,
  Millis,
  NewestQuery,
  Random,
  Storage,
  Transaction,
  Vault,
  WebhookId,
} from '../kernel/index.ts';
import { TEST_EVENT } from './event-types.ts';
import { rowsFor } from './outbox-event.ts';
import { formatOf, patternsOf, STANDARD_FORMAT } from './webhook-format.ts';
import type { WebhookFormats } from './webhook-format.ts';
import { checkGivenSecret, MAX_WEBHOOKS, newWebhookSecret, webhookContext } from './webhook.ts';
import type { WebhookEndpoint } from './webhook.ts';
import type {
  AccountListInput,
  Actor,
  AuditAction,
  AuditChanges,
  AuditDeps,
  CursorPage,
  ListDeps,
} from '../access/index.ts';

/** The properties of a new endpoint. */
export interface NewWebhook {
  /** The actor's own by default. */
  readonly accountId?: AccountId;
  readonly url: string;
  /** Types, or groups such as `order.*`; in another format its own types. */
  readonly events: readonly string[];
  /** True by default. */
  readonly enabled?: boolean;
  /** The till's own by default. */
  readonly format?: string;
  /** The secret that its owner chose; by default the till makes one. */
  readonly secret?: string | undefined;
}

/** Changes of an endpoint; absent fields stay unchanged. */
export type WebhookChanges = Partial<Pick<NewWebhook, 'url' | 'events' | 'enabled' | 'secret'>>;

/** An endpoint with a new secret in plain text. It must not be logged. */
export interface RevealedWebhook {
  readonly endpoint: WebhookEndpoint;
  /** `null` for an admin and the endpoint of another account, whose owner can rotate it. */
  readonly secret: string | null;
}

/** Formats the data of the test event of an endpoint as JSON. */
export interface TestEventPresenter {
  test(endpoint: WebhookId): string;
}

export interface ManageWebhooksDeps extends AuditDeps, ListDeps {
  readonly presenter: TestEventPresenter;
  readonly storage: Pick<Storage, 'webhooks' | 'transaction'>;
  readonly vault: Vault;
  readonly random: Random;
  readonly events: EventBus;
  readonly places: CallbackPlaces;
  /** Formats besides the till's own; none by default. */
  readonly formats?: WebhookFormats;
}

const AUDITED = ['url', 'events', 'enabled'] as const;

/** Webhook endpoints of accounts. */
export class ManageWebhooks {
  readonly #deps: ManageWebhooksDeps;

  constructor(deps: ManageWebhooksDeps) {
    this.#deps = deps;
  }

  /**
   * Endpoints, newest first.
   *
   * @throws TillgateError `INVALID_FIELDS` for a limit out of range or a cursor of another list; `NOT_FOUND` for
   *   another account
   */
  async list(actor: Actor, { accountId, ...page }: AccountListInput): Promise<CursorPage<WebhookEndpoint>> {
    const scope = listScope(actor, accountId);
    const list = ['webhooks', actor.accountId, scope];
    const read = (query: NewestQuery<WebhookId>) => this.#deps.storage.webhooks.list(scope, query);
    return newestPage(list, page, this.#deps, read, ({ id }) => id);
  }

  /** @throws TillgateError `NOT_FOUND`, also for an endpoint of another account */
  async find(actor: Actor, id: WebhookId): Promise<WebhookEndpoint> {
    const found = isId(id) ? await this.#deps.storage.webhooks.find(id) : null;
    if (found === null) throw recordNotFound();
    requireAccess(actor, found.accountId);
    return found;
  }

  /**
   * @throws TillgateError `NOT_FOUND`; `INVALID_FIELDS`; `STATE_CONFLICT` for an archived account, and for one with
   *   {@link MAX_WEBHOOKS}
   */
  async create(
    actor: Actor,
    { accountId: wanted, url, events, enabled = true, format = STANDARD_FORMAT, secret: given }: NewWebhook,
  ): Promise<RevealedWebhook> {
    const { storage, vault, random, ids, clock } = this.#deps;
    const accountId = targetAccount(actor, wanted);
    this.#checkUrl(url);
    const id = ids.next() as WebhookId;
    const secret = given === undefined ? newWebhookSecret(random) : { secret: checkGivenSecret(given) };
    const now = clock.now();
    const endpoint: WebhookEndpoint = {
      id,
      accountId,
      url,
      events: subscribed(events, this.#patterns(format)),
      enabled,
      format,
      sealed: vault.seal(JSON.stringify(secret), webhookContext(id)),
      previousSealed: null,
      previousUntil: null,
      createdAt: now,
      updatedAt: now,
    };
    await storage.transaction(async (tx) => {
      await lockLive(tx, accountId);
      if ((await tx.webhooks.countOf(accountId)) >= MAX_WEBHOOKS)
        throw stateConflict(`An account has at most ${MAX_WEBHOOKS} webhook endpoints.`);
      await tx.webhooks.add(endpoint);
      this.#audit(
        tx,
        actor,
        'webhook.create',
        endpoint,
        createdWith({ url, events: endpoint.events, enabled, ...(format === STANDARD_FORMAT ? {} : { format }) }),
      );
    });
    return { endpoint, secret: seesSecrets(actor, accountId) ? secret.secret : null };
  }

  /**
   * Changes an endpoint. Pending events are sent to the new URL; disabling the endpoint gives them up, after which they
   * can be replayed.
   *
   * @throws TillgateError `NOT_FOUND`, also for an endpoint of another account; `INVALID_FIELDS`; `STATE_CONFLICT` for
   *   an archived account
   */
  update(actor: Actor, id: WebhookId, { secret, ...changes }: WebhookChanges): Promise<WebhookEndpoint> {
    if (changes.url !== undefined) this.#checkUrl(changes.url);
    const { storage, vault, clock } = this.#deps;
    const sealed =
      secret === undefined
        ? null
        : vault.seal(JSON.stringify({ secret: checkGivenSecret(secret) }), webhookContext(id));
    return storage.transaction(async (tx) => {
      const former = await lockEndpoint(tx, actor, id);
      const patterns = this.#patterns(former.format);
      const events = changes.events === undefined ? {} : { events: subscribed(changes.events, patterns) };
      const updatedAt = clock.now();
      const endpoint = { ...former, ...changes, ...events, updatedAt };
      await tx.webhooks.update(endpoint);
      // A secret that its owner chose is in force at once.
      if (sealed !== null) await tx.webhooks.rotate({ id, sealed, previousUntil: updatedAt, updatedAt });
      if (endpoint.url !== former.url) await tx.callbacks.redirect(id, endpoint.url);
      if (!endpoint.enabled) await tx.callbacks.giveUp(id);
      this.#audit(tx, actor, 'webhook.update', endpoint, changesOf(former, endpoint, AUDITED));
      return endpoint;
    });
  }

  /**
   * Removes an endpoint; its pending events are not sent. @throws TillgateError `NOT_FOUND`, also for an endpoint of
   * another account; `STATE_CONFLICT`
   */
  remove(actor: Actor, id: WebhookId): Promise<WebhookEndpoint> {
    return this.#deps.storage.transaction(async (tx) => {
      const endpoint = await lockEndpoint(tx, actor, id);
      await tx.webhooks.remove(id);
      await tx.callbacks.giveUp(id);
      const changes = { url: { from: endpoint.url, to: null } };
      this.#audit(tx, actor, 'webhook.remove', endpoint, changes);
      return endpoint;
    });
  }

  /** Creates a new secret; the previous one signs too for 24 hours. @throws TillgateError as {@link remove} */
  async rotate(actor: Actor, id: WebhookId): Promise<RevealedWebhook> {
    const { storage, vault, random, clock } = this.#deps;
    const secret = newWebhookSecret(random);
    const endpoint = await storage.transaction(async (tx) => {
      const former = await lockEndpoint(tx, actor, id);
      const updatedAt = clock.now();
      const sealed = vault.seal(JSON.stringify(secret), webhookContext(id));
      const previousUntil: Millis = updatedAt + CALLBACK_OVERLAP_MS;
      await tx.webhooks.rotate({ id, sealed, previousUntil, updatedAt });
      this.#audit(tx, actor, 'webhook.rotate', former, {});
      return { ...former, sealed, previousSealed: former.sealed, previousUntil, updatedAt };
    });
    return { endpoint, secret: seesSecrets(actor, endpoint.accountId) ? secret.secret : null };
  }

  /**
   * Sends `webhook.test` to an endpoint, whatever its subscriptions are.
   *
   * @throws TillgateError `NOT_FOUND`, also for an endpoint of another account; `STATE_CONFLICT` while it is disabled
   */
  async test(actor: Actor, id: WebhookId): Promise<WebhookEndpoint> {
    const { storage, ids, clock, events, presenter } = this.#deps;
    const endpoint = await storage.transaction(async (tx) => {
      const found = await lockEndpoint(tx, actor, id);
      if (!found.enabled) throw stateConflict('The webhook endpoint is disabled.');
      const data = (): string => presenter.test(id);
      const at = clock.now();
      const event = { type: TEST_EVENT, subjectId: id, at, data };
      const format = formatOf(found.format, this.#deps.formats ?? []);
      const { accountId } = found;
      for (const row of rowsFor(ids, [found], event)) {
        const place = { deliveryId: row.id, webhookId: id, accountId, at };
        await tx.callbacks.add(format === null ? row : { ...row, body: format.test(place) });
      }
      this.#audit(tx, actor, 'webhook.test', found, {});
      return found;
    });
    events.emit('callback.queued', { accountId: endpoint.accountId });
    return endpoint;
  }

  /** Events can contain data for the account alone, so they are sent over https unless private networks are allowed. */
  #checkUrl(url: string): void {
    const { places } = this.#deps;
    const problem = checkCallbackUrl(url, places);
    if (problem !== null) throw invalidField('url', problem);
    if (!places.allowPrivateNetworks && new URL(url).protocol !== 'https:')
      throw invalidField('url', 'must be an https URL');
  }

  /** @throws TillgateError `INVALID_FIELDS` for a format that the till does not have */
  #patterns(name: string): readonly string[] {
    const { formats = [] } = this.#deps;
    if (name !== STANDARD_FORMAT && !formats.some((format) => format.name === name))
      throw invalidField('format', 'is not a format of this till');
    return patternsOf(formatOf(name, formats));
  }

  #audit(
    tx: Transaction,
    actor: Actor,
    action: AuditAction,
    { id, accountId }: WebhookEndpoint,
    changes: AuditChanges,
  ): void {
    addAuditRow(this.#deps, tx, actor, { action, accountId, subjectId: id, changes });
  }
}

/** The patterns, each once. @throws TillgateError `INVALID_FIELDS` for none, and for unknown ones by position */
function subscribed(events: readonly string[], patterns: readonly string[]): readonly string[] {
  if (events.length === 0) throw invalidField('events', 'must not be empty');
  const unknown = events.findIndex((event) => !patterns.includes(event));
  if (unknown >= 0) throw invalidField(`events.${unknown}`, `must be one of ${patterns.join(', ')}`);
  return [...new Set(events)];
}

/**
 * The endpoint, with its account locked. @throws TillgateError `NOT_FOUND`, also for another account's;
 * `STATE_CONFLICT`
 */
async function lockEndpoint(tx: Transaction, actor: Actor, id: WebhookId): Promise<WebhookEndpoint> {
  const found = isId(id) ? await tx.webhooks.find(id) : null;
  if (found === null) throw recordNotFound();
  requireAccess(actor, found.accountId);
  await lockLive(tx, found.accountId);
  // It may have been removed before the lock.
  const endpoint = await tx.webhooks.find(id);
  if (endpoint === null) throw recordNotFound();
  return endpoint;
}
