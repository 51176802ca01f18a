import assert from 'node:assert/strict';

/** The data of a reply. */
export type Fields = Readonly<Record<string, unknown>>;

/** A request of the management API; the data of its reply. @throws AssertionError where it is refused */
export type Ask = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Fields>;

/** Logs in at the management API of a till and proves the password once more: a session for everything. */
export async function raisedSession(
  url: string,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<Ask> {
  let authorization: Record<string, string> = {};
  const ask: Ask = async (method, path, body, headers = {}) => {
    const reply = await fetch(`${url}/manage/v1/${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...authorization, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { data, msg } = (await reply.json()) as { readonly data: Fields; readonly msg: string };
    assert.ok(reply.ok, `${method} ${path}: ${msg}`);
    return data;
  };
  const use = ({ access_token: token }: Fields): void => {
    authorization = { Authorization: `Bearer ${String(token)}` };
  };
  use(await ask('POST', 'session', { email, password }));
  use(await ask('POST', 'session/step-up', { password }));
  return ask;
}
