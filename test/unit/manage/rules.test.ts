import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import {
  changesOf,
  guardAdmins,
  isTillgateError,
  listScope,
  canMove,
  OPERATOR,
  targetAccount,
} from '../../../core/index.ts';
import type { Account, AccountId, AccountRole, AccountStatus, Actor } from '../../../core/index.ts';

const STATUSES: readonly AccountStatus[] = ['active', 'disabled', 'archived'];
const [ONE, TWO] = ['1530217733410816000' as AccountId, '1530217733410816001' as AccountId];

const account = (role: AccountRole, status: AccountStatus): Account => ({
  id: ONE,
  email: 'a@example.com',
  name: null,
  role,
  status,
  adminSince: null,
  passwordHash: '',
  passwordExpiresAt: null,
  authVersion: 1,
  dataSecurity: false,
  dataSecurityOffAt: null,
  callbackApiKey: 'order',
  verifiedCurrencies: [],
  createdAt: 0,
  modifiedAt: 0,
});
const actor = (accountId: AccountId | null, role: AccountRole = 'admin'): Actor => ({ ...OPERATOR, accountId, role });

describe('the states of an account', () => {
  const LEGAL = new Set([
    'active disabled',
    'disabled active',
    'active archived',
    'disabled archived',
    'archived active',
  ]);

  test('every pair is legal or illegal as documented', () => {
    for (const from of STATUSES)
      for (const to of STATUSES)
        assert.equal(canMove(from, to), from === to || LEGAL.has(`${from} ${to}`), `${from} ${to}`);
  });
});

describe('the rules about admins', () => {
  const cases: readonly [
    who: string,
    by: AccountId | null,
    from: [AccountRole, AccountStatus],
    to: [AccountRole, AccountStatus],
    admins: AccountId[],
    refused: boolean,
  ][] = [
    ['itself, disabled', ONE, ['admin', 'active'], ['admin', 'disabled'], [ONE, TWO], true],
    ['itself, archived', ONE, ['admin', 'active'], ['admin', 'archived'], [ONE, TWO], true],
    ['itself, demoted', ONE, ['admin', 'active'], ['user', 'active'], [ONE, TWO], true],
    ['itself, unchanged', ONE, ['admin', 'active'], ['admin', 'active'], [ONE], false],
    ['another, disabled', TWO, ['admin', 'active'], ['admin', 'disabled'], [ONE, TWO], false],
    ['the last, by the operator', null, ['admin', 'active'], ['user', 'active'], [ONE], true],
    ['the last, archived', null, ['admin', 'active'], ['admin', 'archived'], [ONE], true],
    ['a disabled one', null, ['admin', 'disabled'], ['admin', 'archived'], [TWO], false],
    ['a user', TWO, ['user', 'active'], ['user', 'archived'], [TWO], false],
  ];
  for (const [who, by, [role, status], [nextRole, nextStatus], admins, refused] of cases) {
    test(`${who}: ${refused ? 'refused' : 'allowed'}`, () => {
      const act = (): void =>
        guardAdmins(actor(by), account(role, status), { role: nextRole, status: nextStatus }, admins);
      if (refused) assert.throws(act, (error) => isTillgateError(error, 'STATE_CONFLICT'));
      else act();
    });
  }
});

describe('whose records an actor sees', () => {
  test('a user its own, an admin all', () => {
    assert.equal(listScope(actor(ONE, 'user'), undefined), ONE);
    assert.equal(listScope(actor(ONE, 'user'), ONE), ONE);
    assert.throws(
      () => listScope(actor(ONE, 'user'), TWO),
      (error) => isTillgateError(error, 'NOT_FOUND'),
    );
    assert.equal(listScope(actor(ONE), undefined), null);
    assert.equal(listScope(actor(ONE), TWO), TWO);
  });

  test('what is made is the own account’s unless told, and the operator must tell', () => {
    assert.equal(targetAccount(actor(ONE, 'user'), undefined), ONE);
    assert.throws(
      () => targetAccount(actor(ONE, 'user'), TWO),
      (error) => isTillgateError(error, 'NOT_FOUND'),
    );
    assert.equal(targetAccount(OPERATOR, TWO), TWO);
    assert.throws(
      () => targetAccount(OPERATOR, undefined),
      (error) => isTillgateError(error, 'NOT_FOUND'),
    );
  });

  test('an audit row has the fields that differ, with both values', () => {
    const former = { name: 'a', chains: ['ETH'], limits: null as object | null };
    const names = ['name', 'chains', 'limits'] as const;
    assert.deepEqual(changesOf(former, { name: 'a', chains: ['ETH'] }, names), {});
    assert.deepEqual(changesOf(former, { name: 'b', limits: { burst: 1 } }, names), {
      name: { from: 'a', to: 'b' },
      limits: { from: null, to: { burst: 1 } },
    });
  });
});
