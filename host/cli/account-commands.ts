import { TillgateError, setDataSecurity } from '../../core/index.ts';
import type { AccountId, AccountRole } from '../../core/index.ts';
import type { CommandCall } from './command.ts';
import { withBase } from './with-base.ts';

/** `account create --email E --password P [--role admin|user] [--verified '*']` */
export async function accountCreate({ values, json, terminal }: CommandCall): Promise<number> {
  const verified = text(values['verified']);
  const account = await withBase(({ accounts }) =>
    accounts.createAccount.run({
      email: text(values['email']) ?? '',
      password: text(values['password']) ?? '',
      role: (text(values['role']) ?? 'user') as AccountRole,
      name: text(values['name']) ?? null,
      verifiedCurrencies: verified?.split(',') ?? [],
    }),
  );
  const { id, email, role, status, name } = account;
  terminal.out(json ? JSON.stringify({ id, email, role, status, name }) : `Account ${id} (${email}, ${role})`);
  return 0;
}

/** `credential create --account ID` */
export async function credentialCreate({ values, json, terminal }: CommandCall): Promise<number> {
  const made = await withBase(({ accounts }) => accounts.createCredential.run(accountId(values['account']), text(values['name']) ?? ''));
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

/** `security data-security --account ID --on|--off` */
export async function dataSecurity({ values, json, terminal }: CommandCall): Promise<number> {
  const on = values['on'] === true;
  if (on === (values['off'] === true)) throw new TillgateError('CONFIG_INVALID', 'Give either --on or --off.');
  const account = accountId(values['account']);
  await withBase(({ storage, clock }) => setDataSecurity({ storage, clock }, account, on));
  terminal.out(json ? JSON.stringify({ id: account, data_security: on }) : `Data Security of account ${account} is ${on ? 'on' : 'off'}.`);
  return 0;
}

function text(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function accountId(value: string | boolean | undefined): AccountId {
  return String(value) as AccountId;
}
