import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { isTillgateError } from '../../../../core/index.ts';
import type { FieldError } from '../../../../core/index.ts';
import { lightning } from '../../../../plugins/lightning/index.ts';
import { openNode } from '../../../support/lightning/harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'tillgate-lightning-'));
const LND = { restUrl: 'https://localhost:8080', macaroonFile: '/a/macaroon', tlsCertFile: '/a/cert' };

/** The paths of the fields that a refusal names. */
function refusedFields(input: unknown): readonly string[] {
  try {
    lightning.plugin.options(input);
  } catch (error) {
    assert.ok(isTillgateError(error, 'CONFIG_INVALID'));
    return (error.details.fields as readonly FieldError[]).map(({ path }) => path);
  }
  return [];
}

describe('the Lightning plugin’s options', () => {
  after(() => rmSync(folder, { recursive: true }));

  test('name exactly one node', () => {
    assert.deepEqual(refusedFields({ lnd: LND }), []);
    assert.deepEqual(
      refusedFields({ cln: { restUrl: 'https://10.0.0.2:3010', runeFile: 'rune' }, network: 'main' }),
      [],
    );
    assert.deepEqual(refusedFields({ phoenixd: { url: 'http://127.0.0.1:9740', passwordFile: 'p' } }), []);
    assert.deepEqual(refusedFields({}), ['']);
    assert.deepEqual(refusedFields({ lnd: LND, phoenixd: { url: 'http://127.0.0.1:9740', passwordFile: 'p' } }), ['']);
  });

  test('are refused by name where they are wrong or unknown', () => {
    assert.deepEqual(refusedFields({ lnd: { ...LND, macaroonFile: '' } }), ['lnd.macaroonFile']);
    assert.deepEqual(refusedFields({ lnd: { ...LND, macaroon: '00' } }), ['lnd.macaroon']);
    assert.deepEqual(refusedFields({ lnd: LND, network: 'moon' }), ['network']);
  });

  test('a secret travels encrypted, or not beyond this machine', () => {
    for (const restUrl of [
      'http://10.0.0.2:8080',
      'http://node:8080',
      'ftp://localhost',
      'https://user:pass@localhost',
      'https://localhost/?key=1',
      'nonsense',
    ]) {
      assert.deepEqual(refusedFields({ lnd: { ...LND, restUrl } }), ['lnd.restUrl'], restUrl);
    }
    for (const restUrl of ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080'])
      assert.deepEqual(refusedFields({ lnd: { ...LND, restUrl } }), []);
  });

  test('a file that is missing, empty or no certificate is named by its setting, and nothing of it is told', async () => {
    const write = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const macaroonFile = write('macaroon', 'secret words');
    const cases = [
      [{ ...LND, macaroonFile: join(folder, 'none') }, /lnd\.macaroonFile cannot be read \(ENOENT\)/],
      [{ ...LND, macaroonFile: write('empty', '') }, /lnd\.macaroonFile is empty/],
      [{ ...LND, macaroonFile, tlsCertFile: macaroonFile }, /lnd\.tlsCertFile holds no PEM certificate/],
    ] as const;
    for (const [lnd, words] of cases) {
      await assert.rejects(
        openNode({ lnd }),
        (error: unknown) =>
          isTillgateError(error, 'CONFIG_INVALID') &&
          words.test(error.message) &&
          !error.message.includes('secret') &&
          !error.message.includes(folder),
      );
    }
  });
});
