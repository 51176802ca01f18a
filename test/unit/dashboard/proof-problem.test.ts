import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../../host/dashboard/app/api/api-error.ts';
import { en } from '../../../host/dashboard/app/messages/en.ts';
import { proofProblem } from '../../../host/dashboard/app/step-up/proof-problem.ts';

const refused = (...paths: readonly string[]): ApiError =>
  new ApiError(
    400,
    'of the server',
    null,
    paths.map((path) => ({ path, message: 'is wrong' })),
  );

/** The English text of a key of the catalogue. */
const textOf = (key: string | null): unknown =>
  (key ?? '').split('.').reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], en);

test('a refused code, passkey or password has a text in the language of the reader, other problems have none', () => {
  assert.equal(textOf(proofProblem(refused('totp'))), en.tillgate.login.codeFailed);
  assert.equal(textOf(proofProblem(refused('passkey'))), en.tillgate.login.passkeyFailed);
  assert.equal(textOf(proofProblem(refused('password'))), en.tillgate.stepUp.passwordFailed);
  assert.equal(proofProblem(refused('name')), null);
  assert.equal(proofProblem(refused('toString')), null);
  assert.equal(proofProblem(refused()), null);
});
