/**
 * The cost of an action besides the permission for it:
 *
 * - `fresh-factor`: the session needs a recent step-up;
 * - `hold`: it takes effect after a delay, and can be cancelled until then;
 * - `notice`: it writes an audit row for the owner of the affected account;
 * - `another-person`: it needs an admin who is not the owner of the affected record.
 */
export type ActionCost = 'fresh-factor' | 'hold' | 'notice' | 'another-person';

const FRESH = ['fresh-factor', 'notice'] as const;

/**
 * The possible effects of an operation, with the cost of each, whichever operation causes it:
 *
 * - `moves-money`: money leaves, changes its owner or its destination, or a limit on that is lifted;
 * - `moves-goods`: someone gets goods or units, or gets them at another price;
 * - `shows-secret`: the reply contains a secret of the account;
 * - `opens-way-in`: someone else can act for an account afterwards, or its owner no longer can;
 * - `redirects`: people, messages or traffic go elsewhere, or see another name;
 * - `ends-for-good`: something ends that no later call restores.
 *
 * The others cost nothing: `reads` shows records without their secrets; `stops` ends or tightens something that can be
 * started or relaxed again; `records` writes something that moves nothing until someone pays or decides; `proves`
 * verifies a proof of its own.
 */
export const EFFECTS = {
  'moves-money': FRESH,
  'moves-goods': FRESH,
  'shows-secret': FRESH,
  'opens-way-in': FRESH,
  redirects: FRESH,
  'ends-for-good': FRESH,
  reads: [],
  stops: [],
  records: [],
  proves: [],
} as const satisfies Readonly<Record<string, readonly ActionCost[]>>;

/** A class of effects. */
export type Effect = keyof typeof EFFECTS;

/** The requests in which an operation has an effect; all given conditions must hold. */
export interface ActionWhen {
  /** Fields of the request with these values, by their names in core. */
  readonly fields?: Readonly<Record<string, string | boolean>>;
  /** The request has at least one of these fields, whatever its value. */
  readonly given?: readonly string[];
  /** The request has a field outside this list, so that a new field has the cost until it is reviewed. */
  readonly beyond?: readonly string[];
  /** The actor is an admin, and the record belongs to another account. */
  readonly others?: true;
  /** The account must use a second factor. */
  readonly demandedFactor?: true;
}

/** One effect of an operation. */
export interface ActionEffect {
  readonly effect: Effect;
  /** What the effect applies to: "where money goes". */
  readonly of: string;
  /** Absent for every request. */
  readonly when?: ActionWhen;
  /** The cost besides that of its class. */
  readonly also?: readonly ActionCost[];
}

/** A row of the audit log that is reported to the account's owner, by `security.changed` or `security.pending`. */
export interface ToldRow {
  /** The action of the row. */
  readonly action: string;
  /** Changed fields with the end of a delay; the change is pending while one of them is in the future. */
  readonly until?: readonly string[];
}

/** An operation of the management API. */
export interface ActionRow {
  /** At least one; each has its cost in the requests to which it applies. */
  readonly effects: readonly [ActionEffect, ...ActionEffect[]];
  /** Audit rows, by the operation or the corresponding command, that are reported to the account's owner. */
  readonly tells?: readonly ToldRow[];
  /** Allowed for an admin who must enrol a second factor and has none, for the account's own records. */
  readonly beforeFactor?: true;
  /** Allowed for an account that must change its temporary password. */
  readonly beforePassword?: true;
}

/** The costs of an effect. */
export function costsOf({ effect, also = [] }: ActionEffect): readonly ActionCost[] {
  return [...EFFECTS[effect], ...also];
}

/** True for an operation that requires a fresh factor in every request. */
export function alwaysFresh({ effects }: ActionRow): boolean {
  return effects.some((effect) => effect.when === undefined && costsOf(effect).includes('fresh-factor'));
}
