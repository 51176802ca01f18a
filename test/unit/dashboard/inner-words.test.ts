import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AUDIT_ACTIONS } from '../../../core/access/audit-actions.ts';
import {
  CHAIN_ACCOUNTS,
  LEDGER_KINDS,
  MERCHANT_BALANCES,
  REFERENCE_SUBJECTS,
  TILL_ACCOUNTS,
} from '../../../core/ledger/entry.ts';
import { LANGUAGES } from '../../../host/dashboard/app/i18n.ts';

/** An action's or a kind's own name: words with hyphens, dots or colons between, and nothing that a person writes. */
const INNER = /^[a-z]+(?:[._:-][a-z_]+)+$/;

for (const { locale, name, load } of LANGUAGES)
  test(`${name} has a sentence for every audit action, booking, ledger account and subject`, async () => {
    const { audit, ledger } = (await load()).resources;
    const lists: readonly (readonly [readonly string[], Readonly<Record<string, string>>])[] = [
      [AUDIT_ACTIONS, audit.actions],
      [LEDGER_KINDS, ledger.kinds],
      [MERCHANT_BALANCES, ledger.balances],
      [[...CHAIN_ACCOUNTS, ...TILL_ACCOUNTS], ledger.own],
      [REFERENCE_SUBJECTS, ledger.subjects],
    ];
    for (const [names, texts] of lists) {
      assert.deepEqual(Object.keys(texts).sort(), [...names].sort());
      for (const [key, text] of Object.entries(texts)) assert.doesNotMatch(text, INNER, key);
      assert.equal(new Set(Object.values(texts)).size, names.length, `two of ${names.join(', ')} read the same`);
    }
    if (locale !== 'en') assert.notEqual(audit.actions['session.step_up'], 'Identity confirmed');
  });
