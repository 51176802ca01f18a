import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpClient, Reply } from '../support/http.ts';
import { eachStorage } from '../support/each-storage.ts';
import { startTestTill } from '../support/till.ts';
import { BySchema } from './by-schema.ts';
import type { Schema } from './by-schema.ts';
import { fuzzPlan } from './seeded.ts';
import type { Seeded } from './seeded.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required?: boolean;
  readonly schema: Schema;
}
interface Described {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<
      Record<
        string,
        {
          readonly schema: Schema;
          readonly example?: unknown;
          readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
        }
      >
    >;
  };
}
interface Operation extends Described {
  readonly path: string;
  readonly method: string;
}

/** A request of an operation: valid by its description, or with something spoilt. */
function requestOf(
  random: Seeded,
  make: BySchema,
  { path, parameters = [], requestBody }: Operation,
  ids: readonly string[],
  spoil: boolean,
): { target: string; headers: Record<string, string>; body: unknown } {
  const wanted = parameters.filter(({ required }) => required === true || random.oneIn(2));
  const valueOf = ({ schema }: Parameter): string => {
    const value = spoil && random.oneIn(3) ? make.spoilt(null) : make.valid(schema);
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  const query = wanted
    .filter((parameter) => parameter.in === 'query')
    .map((parameter) => `${parameter.name}=${encodeURIComponent(Buffer.from(valueOf(parameter)).toString())}`);
  const headers = Object.fromEntries(
    wanted
      .filter((parameter) => parameter.in === 'header')
      .map((parameter) => [
        parameter.name,
        valueOf(parameter)
          .replaceAll(/[^\x20-\x7e]/g, '')
          .trim(),
      ]),
  );
  const filled = path.replaceAll(/\{\w+\}/g, () =>
    encodeURIComponent(random.oneIn(3) ? random.text(1 + random.below(20), '0123456789') : random.pick(ids)),
  );
  const media = requestBody?.content['application/json'];
  const examples =
    media === undefined
      ? []
      : [media.example, ...Object.values(media.examples ?? {}).map(({ value }) => value)].filter(
          (value) => value !== undefined,
        );
  const valid =
    media === undefined
      ? undefined
      : examples.length > 0 && random.oneIn(3)
        ? random.pick(examples)
        : make.valid(media.schema);
  return {
    target: query.length === 0 ? filled : `${filled}?${query.join('&')}`,
    headers,
    body: spoil && media !== undefined ? make.spoilt(valid) : valid,
  };
}

eachStorage((engine, open) => {
  test(`every operation of our own description, as described and spoilt, on ${engine}: replies as described, no 500 (faults 45, 69, 70)`, async (t) => {
    const opened = await open();
    const till = await startTestTill(opened, {
      settings: { limits: { requestsPerMinute: 1_000_000, loginsPerMinute: 1_000_000 } },
    });
    t.after(async () => {
      await till.close();
      await opened.close();
    });
    const { seed, size, random } = fuzzPlan(engine === 'sqlite' ? 3 : 2, 40);
    const document = JSON.parse((await till.client.get('/openapi.json')).text) as {
      paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
    };
    const make = new BySchema(random, document);
    const [email, password] = ['operator@example.com', 'correct horse battery'];
    const admin = await till.accounts.createAccount.run({ email, password, role: 'admin' });
    let manager: HttpClient | null = null;
    const login = async (): Promise<HttpClient> => {
      const reply = await till.client.post('/manage/v1/session', { email, password });
      const { data } = JSON.parse(reply.text) as { data: { access_token: string } | null };
      assert(data !== null, reply.text);
      return till.client.with({ Authorization: `Bearer ${data.access_token}` });
    };
    const spare = await till.newMerchant();
    const ids = [spare.account.id, admin.id];
    for (let made = 0; made < 3; made++) {
      await till.merchant.client.post('/api/order/pay-info', {
        chain: 'ETH',
        currency: 'ETH',
        vs_currency: 'USD',
        vs_price: 20,
      });
    }
    ids.push(
      ...(await till.till.storage.orders.list(till.merchant.account.id, { page: 1, size: 3 })).items.map(
        ({ id }) => id as never,
      ),
    );

    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, row]): Operation => ({ path, method: method.toUpperCase(), ...row })),
    );
    const statuses = new Map<number, number>();
    for (const operation of operations) {
      for (let round = 0; round < size * 2; round++) {
        const { target, headers, body } = requestOf(random, make, operation, ids, round % 2 === 1);
        const managed = target.startsWith('/manage/v1/');
        if (managed) manager ??= await login();
        const client = managed ? (manager ?? till.client) : till.merchant.client;
        const what = `seed ${seed}: ${operation.method} ${target} ${JSON.stringify(headers)} ${JSON.stringify(body)}`;
        const reply: Reply = await client
          .request(operation.method, target, {
            headers,
            ...(body === undefined
              ? {}
              : { body: JSON.stringify(body), headers: { ...headers, 'Content-Type': 'application/json' } }),
          })
          .catch((error: unknown) => assert.fail(`${what}\n${String(error)}`));
        assert.ok(reply.status < 500 || reply.status === 503, `${what}\n${reply.status} ${reply.text}`);
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
        // A session may be ended, and an account's password changed, by what was made up.
        if (managed && (reply.status === 401 || operation.path.endsWith('/session'))) manager = null;
      }
    }
    t.diagnostic(
      `seed ${seed}: ${operations.length} operations, by status ${JSON.stringify(Object.fromEntries([...statuses].sort(([a], [b]) => a - b)))}`,
    );
    // About a quarter of them are carried out; were nearly all refused, this would show nothing of what is behind the checks.
    const requests = [...statuses.values()].reduce((sum, count) => sum + count, 0);
    assert.ok((statuses.get(200) ?? 0) > requests / 10, `${statuses.get(200) ?? 0} of ${requests} answered with 200`);
  });
});
