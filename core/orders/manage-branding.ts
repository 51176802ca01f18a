import { nameKey, nameProblem, supportProblem, usualName } from './brand-texts.ts';
import { noBranding } from './branding.ts';
import type { Branding, Logo, LogoRef } from './branding.ts';
import { readLogo } from './logo.ts';
import { invalidField, isId, stateConflict, TillgateError } from '../kernel/index.ts';
import type { AccountId, Digest, Storage } from '../kernel/index.ts';
import { accountNotFound, addAuditRow, changesOf, lockLive, targetAccount } from '../access/index.ts';
import type { Actor, AuditDeps } from '../access/index.ts';

export interface ManageBrandingDeps extends AuditDeps {
  readonly storage: Pick<Storage, 'branding' | 'accounts' | 'transaction'>;
  readonly digest: Pick<Digest, 'sha256Hex'>;
}

/** Changes of a branding: absent fields stay unchanged, and `null` removes a value. */
export interface BrandingChanges {
  readonly name?: string | null;
  /** `#rrggbb`. */
  readonly colour?: string | null;
  readonly support?: string | null;
  /** The bytes of a picture. */
  readonly logo?: Uint8Array | null;
}

const AUDITED = ['name', 'colour', 'support', 'logo'] as const;

/** How the payer's page presents accounts (core/decisions/pages.md). */
export class ManageBranding {
  readonly #deps: ManageBrandingDeps;

  constructor(deps: ManageBrandingDeps) {
    this.#deps = deps;
  }

  /** @throws TillgateError `NOT_FOUND`, also for another account */
  async find(actor: Actor, wanted: AccountId | undefined): Promise<Branding> {
    const { accounts, branding } = this.#deps.storage;
    const id = targetAccount(actor, wanted);
    if (!isId(id) || (await accounts.find(id)) === null) throw accountNotFound();
    return (await branding.of(id)) ?? noBranding(id);
  }

  /**
   * Changes an account's branding.
   *
   * @param expectedVersion - the version that the caller has read
   * @throws TillgateError `NOT_FOUND`, also for another account; `INVALID_FIELDS`; `VERSION_MISMATCH`; `STATE_CONFLICT`
   *   for an archived account, and for a name that another account has
   */
  async update(
    actor: Actor,
    wanted: AccountId | undefined,
    expectedVersion: number,
    input: BrandingChanges,
  ): Promise<Branding> {
    const accountId = targetAccount(actor, wanted);
    const { logo, ...texts } = checked(input);
    const picture = logo === undefined || logo === null ? logo : this.#logoOf(logo);
    return this.#deps.storage.transaction(async (tx) => {
      await lockLive(tx, accountId);
      const former = (await tx.branding.of(accountId)) ?? noBranding(accountId);
      if (former.version !== expectedVersion) throw outdated(former);
      const next = { ...former, ...texts, ...(picture === undefined ? {} : { logo: refOf(picture) }) };
      const changes = changesOf(former, next, AUDITED);
      if (Object.keys(changes).length === 0) return former;
      const branding = { ...next, version: former.version + 1, updatedAt: this.#deps.clock.now() };
      const key = branding.name === null ? null : nameKey(branding.name);
      if (!(await tx.branding.save(branding, key, picture?.bytes ?? null)))
        throw stateConflict('Another account has this name, or one that payers could mistake for it.');
      addAuditRow(this.#deps, tx, actor, { action: 'branding.update', accountId, subjectId: accountId, changes });
      return branding;
    });
  }

  #logoOf(bytes: Uint8Array): Logo {
    const read = readLogo(bytes);
    if ('problem' in read) throw invalidField('logo', read.problem);
    return { id: this.#deps.digest.sha256Hex(bytes), type: read.type, bytes };
  }
}

const refOf = (logo: Logo | null): LogoRef | null => (logo === null ? null : { id: logo.id, type: logo.type });

/** The changes in their usual form. @throws TillgateError `INVALID_FIELDS` */
function checked({ name, colour, support, ...rest }: BrandingChanges): BrandingChanges {
  const changes: { name?: string | null; colour?: string | null; support?: string | null } = {};
  if (name !== undefined) changes.name = name === null ? null : take('name', usualName(name), nameProblem);
  if (colour !== undefined)
    changes.colour = colour === null ? null : take('colour', colour.toLowerCase(), colourProblem);
  if (support !== undefined)
    changes.support = support === null ? null : take('support', support.trim(), supportProblem);
  return { ...rest, ...changes };
}

function take(field: string, value: string, problemOf: (value: string) => string | null): string {
  const problem = problemOf(value);
  if (problem !== null) throw invalidField(field, problem);
  return value;
}

const colourProblem = (colour: string): string | null =>
  /^#[0-9a-f]{6}$/.test(colour) ? null : 'must be a colour such as #0a5bab';

function outdated({ version }: Branding): TillgateError {
  return new TillgateError(
    'VERSION_MISMATCH',
    `The branding was changed meanwhile and has version ${version}: read it again, then repeat your change.`,
    { version },
  );
}
