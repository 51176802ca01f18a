import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import type { ScryptOptions } from 'node:crypto';
import { TillgateError } from '../../core/index.ts';
import type { PasswordHasher } from '../../core/index.ts';

const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** The most memory that a stored hash may cost: 256 MiB. */
const MAX_BLOCKS = 2 ** 21;
const FORM =
  /^(scrypt|scrypt-sha512)\$(\d{1,8})\$(\d{1,2})\$(\d{1,2})\$([A-Za-z0-9+/]{11,}={0,2})\$([A-Za-z0-9+/]{43}=)$/;

/** The scheme of a hash; `scrypt` is the older one, which normalised the password. */
type Form = 'scrypt' | 'scrypt-sha512';
const PRESENT: Form = 'scrypt-sha512';

/**
 * Used when a password is set, which only a known account can do: it waits with the known accounts, without a limit of
 * its own.
 */
const NOBODYS = '';

/** The cost of one hash: `128 × N × r` bytes of memory, `N × r × p` of work. */
export interface ScryptCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** One of OWASP's recommended settings, suitable for a small server: 32 MiB a hash. */
const DEFAULT_COST: ScryptCost = { N: 2 ** 15, r: 8, p: 3 };

/** Settings of {@link ScryptHasher}; each has a default. */
export interface ScryptHasherOptions {
  readonly cost?: ScryptCost;
  /** Concurrent hashes. 2 leaves half of the thread pool to the database. */
  readonly concurrency?: number;
  /** Length of each lane's queue; one more hash is refused. */
  readonly maxWaiting?: number;
  /** The number of hashes of one known account that may wait. */
  readonly maxWaitingEach?: number;
}

interface StoredHash {
  readonly form: Form;
  readonly cost: ScryptCost;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/**
 * {@link PasswordHasher} with scrypt, stored as `scrypt-sha512$N$r$p$salt$hash` (base64). It hashes the SHA-512 of the
 * password's bytes, because scrypt treats a password and the same password with appended zeros as equal. Memory is
 * bounded however many logins arrive: a few are hashed, some wait, and the rest are refused with a time to retry after.
 * Known accounts wait in a queue of their own, which takes turns with that of unknown users.
 */
export class ScryptHasher implements PasswordHasher {
  readonly #cost: ScryptCost;
  readonly #known: Lane;
  readonly #strangers: Lane;
  #turn = false;
  #free: number;

  constructor({
    cost = DEFAULT_COST,
    concurrency = 2,
    maxWaiting = 64,
    maxWaitingEach = maxWaiting / 4,
  }: ScryptHasherOptions = {}) {
    this.#cost = cost;
    this.#free = concurrency;
    this.#known = new Lane(maxWaiting, maxWaitingEach);
    this.#strangers = new Lane(maxWaiting, maxWaiting);
  }

  /** @throws TillgateError `RATE_LIMITED` when the queue is full. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const hash = await this.#derive(keyOf(password, PRESENT), salt, this.#cost, NOBODYS);
    const { N, r, p } = this.#cost;
    return [PRESENT, N, r, p, salt.toString('base64'), hash.toString('base64')].join('$');
  }

  /** @throws TillgateError `RATE_LIMITED` when the queue is full. */
  async verify(password: string, stored: string | null, known: string | null = null): Promise<boolean> {
    const record = stored === null ? null : parse(stored);
    // An unknown user costs the same work, so that the response time does not reveal whether the account exists.
    const { form, cost, salt, hash } = record ?? {
      form: PRESENT,
      cost: this.#cost,
      salt: randomBytes(SALT_BYTES),
      hash: randomBytes(HASH_BYTES),
    };
    const derived = await this.#derive(keyOf(password, form), salt, cost, known);
    const equal = derived.length === hash.length && timingSafeEqual(derived, hash);
    return equal && record !== null;
  }

  async #derive(key: Buffer, salt: Buffer, cost: ScryptCost, known: string | null): Promise<Buffer> {
    await this.#enter(known);
    try {
      return await scryptAsync(key, salt, cost);
    } finally {
      this.#leave();
    }
  }

  async #enter(known: string | null): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await (known === null ? this.#strangers : this.#known).wait(known ?? NOBODYS);
  }

  /** The slot goes to the longest waiting hash of the lane whose turn it is, so that a new one cannot overtake it. */
  #leave(): void {
    this.#turn = !this.#turn;
    const [first, second] = this.#turn ? [this.#known, this.#strangers] : [this.#strangers, this.#known];
    const next = first.next() ?? second.next();
    if (next === null) this.#free += 1;
    else next();
  }
}

/** Hashes that wait for a slot, oldest first. */
class Lane {
  readonly #waiting: { readonly account: string; readonly go: () => void }[] = [];
  readonly #max: number;
  readonly #maxEach: number;

  constructor(max: number, maxEach: number) {
    this.#max = max;
    this.#maxEach = maxEach;
  }

  /** @throws TillgateError `RATE_LIMITED` when the lane, or the account's share of it, is full */
  async wait(account: string): Promise<void> {
    const own = account === NOBODYS ? 0 : this.#waiting.filter((waiting) => waiting.account === account).length;
    if (this.#waiting.length >= this.#max || own >= this.#maxEach)
      throw new TillgateError('RATE_LIMITED', 'Too many logins at once; retry shortly.', { retryAfterSeconds: 5 });
    await new Promise<void>((go) => this.#waiting.push({ account, go }));
  }

  next(): (() => void) | null {
    return this.#waiting.shift()?.go ?? null;
  }
}

function parse(stored: string): StoredHash | null {
  const match = FORM.exec(stored);
  if (match === null) return null;
  const [N, r, p] = [Number(match[2]), Number(match[3]), Number(match[4])];
  const possible = N > 1 && Number.isInteger(Math.log2(N)) && r > 0 && p > 0 && N * r <= MAX_BLOCKS;
  if (!possible) return null;
  return {
    form: match[1] as Form,
    cost: { N, r, p },
    salt: Buffer.from(match[5] ?? '', 'base64'),
    hash: Buffer.from(match[6] ?? '', 'base64'),
  };
}

/**
 * The input of scrypt: exactly one block, so that no two passwords share it. Older hashes are of the normalised text
 * (NFKC).
 */
function keyOf(password: string, form: Form): Buffer {
  return form === PRESENT
    ? createHash('sha512').update(password, 'utf8').digest()
    : Buffer.from(password.normalize('NFKC'), 'utf8');
}

function scryptAsync(key: Buffer, salt: Buffer, { N, r, p }: ScryptCost): Promise<Buffer> {
  // Node's default limit equals the memory of N = 2^15, r = 8, and refuses it.
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r };
  return new Promise((resolve, reject) => {
    scrypt(key, salt, HASH_BYTES, options, (error, hash) => {
      if (error === null) resolve(hash);
      else reject(error);
    });
  });
}
