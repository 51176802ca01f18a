import {
  assert,
  formatInstant,
  invalidField,
  OPERATOR,
  parseInstant,
  present,
  SCOPES,
  TillgateError,
} from '../../core/index.ts';
import type { AccountRole, CredentialRequest } from '../../core/index.ts';
import type { CommandCall } from './command.ts';
import { readNewPassword } from './read-secret.ts';
import { requireAccount, withManage } from './with-till.ts';

export async function accountCreate(call: CommandCall): Promise<number> {
  const { values, json, terminal } = call;
  const password = await readNewPassword(call);
  const verified = text(values['verified']);
  const { account } = await withManage((manage) =>
    manage.accounts.create(OPERATOR, {
      email: text(values['email']) ?? '',
      password,
      temporaryPassword: values['temporary-password'] === true,
      role: (text(values['role']) ?? 'user') as AccountRole,
      name: text(values['name']) ?? null,
      verifiedCurrencies: verified?.split(',') ?? [],
    }),
  );
  const { id, email, role, status, name, passwordExpiresAt } = account;
  const until = passwordExpiresAt === null ? null : formatInstant(passwordExpiresAt);
  const record = { id, email, role, status, name, ...(until === null ? {} : { password_expires_at: until }) };
  const note = until === null ? '' : `; its password must be changed before ${until}`;
  terminal.out(json ? JSON.stringify(record) : `Account ${id} (${email}, ${role})${note}`);
  return 0;
}

export async function accountResetPassword(call: CommandCall): Promise<number> {
  const { values, json, terminal } = call;
  const password = await readNewPassword(call);
  const [id, until] = await withManage(async (manage, runtime) => {
    const account = await requireAccount(runtime, values['account']);
    return [account, formatInstant(await manage.passwords.reset(OPERATOR, account, password))] as const;
  });
  terminal.out(
    json
      ? JSON.stringify({ id, password_reset: true, password_expires_at: until })
      : `Account ${id} has a new password, which must be changed before ${until}; its sessions and access tokens have ended.`,
  );
  return 0;
}

export async function accountFreeze({ operands, values, json, terminal }: CommandCall): Promise<number> {
  const reason = String(values['reason']);
  const id = await withManage(async (manage, runtime) => {
    const account = await requireAccount(runtime, operands[0]);
    await manage.withdrawals.freeze(OPERATOR, account, reason);
    return account;
  });
  terminal.out(
    json
      ? JSON.stringify({ id, payouts_frozen: true, reason })
      : `Account ${id} cannot withdraw any more; payments already signed are still sent.`,
  );
  return 0;
}

export async function accountUnfreeze({ operands, json, terminal }: CommandCall): Promise<number> {
  const [id, reason] = await withManage(async (manage, runtime) => {
    const account = await requireAccount(runtime, operands[0]);
    return [account, await manage.withdrawals.unfreeze(OPERATOR, account)] as const;
  });
  terminal.out(
    json
      ? JSON.stringify({ id, payouts_frozen: false, reason })
      : `Account ${id} may withdraw again. It had been frozen because: ${reason}`,
  );
  return 0;
}

export async function credentialCreate({ values, json, terminal }: CommandCall): Promise<number> {
  const made = await withManage(async (manage, runtime) =>
    manage.credentials.create(OPERATOR, {
      accountId: await requireAccount(runtime, values['account']),
      name: text(values['name']) ?? '',
      ...credentialOptions(values),
    }),
  );
  assert('signingSecret' in made, 'the operator sees the secrets');
  const record = {
    api_key: made.apiKey,
    api_token: made.apiToken,
    signing_secret: made.signingSecret,
    callback_key: made.callbackKey,
    callback_token: made.callbackToken,
    callback_secret: made.callbackSecret,
  };
  if (json) terminal.out(JSON.stringify(record));
  else for (const [name, value] of Object.entries(record)) terminal.out(`${name}: ${value}`);
  return 0;
}

function credentialOptions(values: CommandCall['values']): CredentialRequest {
  const [scopes, until] = [text(values['scopes'])?.split(','), text(values['expires-at'])];
  const unknown = scopes?.find((scope) => !SCOPES.some((known) => known === scope));
  if (unknown !== undefined) throw invalidField('--scopes', `one or more of ${SCOPES.join(',')}`);
  const expiresAt = until === undefined ? undefined : parseInstant(until);
  if (expiresAt === null) throw invalidField('--expires-at', 'a time in UTC, such as 2027-01-31T00:00:00Z');
  return {
    ...(scopes === undefined ? {} : { scopes: SCOPES.filter((scope) => scopes.includes(scope)) }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

export async function credentialRotateCallback({ values, json, terminal }: CommandCall): Promise<number> {
  const { secrets, formerUntil } = await withManage(async (manage, runtime) =>
    manage.credentials.rotateCallbackSecrets(OPERATOR, await requireAccount(runtime, values['account'])),
  );
  const made = present(secrets, 'the secrets, which the operator sees');
  const record = {
    callback_key: made.callbackKey,
    callback_token: made.callbackToken,
    callback_secret: made.callbackSecret,
    previous_secret_expires_at: formatInstant(formerUntil),
  };
  if (json) terminal.out(JSON.stringify(record));
  else for (const [name, value] of Object.entries(record)) terminal.out(`${name}: ${value}`);
  return 0;
}

export async function dataSecurity({ values, json, terminal }: CommandCall): Promise<number> {
  const on = values['on'] === true;
  if (on === (values['off'] === true)) throw new TillgateError('CONFIG_INVALID', 'Give either --on or --off.');
  const { accountId: id } = await withManage(async (manage, runtime) =>
    manage.security.update(OPERATOR, await requireAccount(runtime, values['account']), { dataSecurity: on }, true),
  );
  terminal.out(
    json ? JSON.stringify({ id, data_security: on }) : `Data Security of account ${id} is ${on ? 'on' : 'off'}.`,
  );
  return 0;
}

export async function securityTotp({ values, json, terminal }: CommandCall): Promise<number> {
  const { secret, uri } = await withManage(async ({ security }, runtime) => {
    const account = await requireAccount(runtime, values['account']);
    const enrolment = await security.enrol(OPERATOR, account, true);
    if (values['for-withdrawals'] === true) await security.update(OPERATOR, account, { totpForWithdrawals: true });
    return enrolment;
  });
  if (json) terminal.out(JSON.stringify({ secret, uri }));
  else for (const line of ['Shown only once; enter either into an authenticator app:', secret, uri]) terminal.out(line);
  return 0;
}

export async function securityPasskeys({ values, json, terminal }: CommandCall): Promise<number> {
  const passkeys = await withManage(async (manage, runtime) => {
    const account = await requireAccount(runtime, values['account']);
    const found = await manage.passkeys.list(OPERATOR, account);
    const id = text(values['remove']);
    if (id === undefined) return found;
    const one = found.find((passkey) => passkey.id === id);
    if (one === undefined) throw invalidField('--remove', 'no passkey of this account');
    await manage.passkeys.remove(OPERATOR, one.id, true);
    return manage.passkeys.list(OPERATOR, account);
  });
  const records = passkeys.map(({ id, name, createdAt, lastUsedAt }) => ({
    id,
    name,
    created_at: formatInstant(createdAt),
    last_used_at: lastUsedAt === null ? null : formatInstant(lastUsedAt),
  }));
  if (json) terminal.out(JSON.stringify(records));
  else for (const { id, name, created_at: at } of records) terminal.out(`${id}  ${name}  added ${at}`);
  if (!json && records.length === 0) terminal.out('The account has no passkey.');
  return 0;
}

function text(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
