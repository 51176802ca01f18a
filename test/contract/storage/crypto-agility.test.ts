import assert from 'node:assert/strict';
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { Vault } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import {
  everyText,
  finds,
  knownColumns,
  NEW,
  openAll,
  openable,
  rotate,
  sealEverything,
  vaults,
} from './master-key-fixture.ts';

const VERSION = 2;
const CIPHER = 'chacha20-poly1305';

/** A replacement of the till's vault: another cipher, another keyed hash, and the former vault for existing texts. */
class OtherVault implements Vault {
  readonly #former: Vault | null;

  constructor(former: Vault | null) {
    this.#former = former;
  }

  seal(plain: string, context: string): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv(CIPHER, NEW, nonce, { authTagLength: 16 });
    cipher.setAAD(Buffer.from(context), { plaintextLength: Buffer.byteLength(plain) });
    const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.from([VERSION]), nonce, body, cipher.getAuthTag()]).toString('base64url');
  }

  open(sealed: string, context: Parameters<Vault['open']>[1]): string {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes[0] !== VERSION && this.#former !== null) return this.#former.open(sealed, context);
    const decipher = createDecipheriv(CIPHER, NEW, bytes.subarray(1, 13), { authTagLength: 16 });
    decipher.setAAD(Buffer.from(context), { plaintextLength: bytes.length - 29 });
    decipher.setAuthTag(bytes.subarray(-16));
    return Buffer.concat([decipher.update(bytes.subarray(13, -16)), decipher.final()]).toString('utf8');
  }

  isCurrent(sealed: string): boolean {
    return Buffer.from(sealed, 'base64url')[0] === VERSION;
  }

  lookupHash(purpose: string, text: string): string {
    return createHmac('sha3-256', NEW).update(`${purpose}\0${text}`).digest('hex');
  }

  lookupHashes(...[purpose, text]: Parameters<Vault['lookupHashes']>): readonly string[] {
    return [this.lookupHash(purpose, text), ...(this.#former?.lookupHashes(purpose, text) ?? [])];
  }
}

eachStorage((engine, open) => {
  test('a till goes over to another cipher and another keyed hash by a rotation', async (t) => {
    const till = await open(t);
    const { storage } = till;
    const sealed = await sealEverything(storage, vaults.old());
    const between = new OtherVault(vaults.old());
    assert.deepEqual(await openAll(storage, between), sealed.plain);
    assert.equal(await finds(storage, between, sealed), true);

    const { finished } = await rotate(storage, between);
    assert.equal(finished, true);
    const alone = new OtherVault(null);
    assert.deepEqual(await openAll(storage, alone), sealed.plain);
    assert.equal(await finds(storage, alone, sealed), true);
    assert.equal(await openable(storage, vaults.old()), 0);
    const known = knownColumns();
    for (const { column, value } of await everyText(till, engine))
      if (known.has(column) && column !== 'documents.value') assert.ok(alone.isCurrent(value), column);
  });
});
