import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { GatewayRoute } from '../../core/index.ts';
import { rawExchange } from '../support/http.ts';
import { ask, CALL, bothPaths, HOST, KEY, routeOf, startGateway, startNode } from './support.ts';
import type { FakeNode, TestGateway } from './support.ts';

const HTTP = 'tron.gate.example';
const BASED = 'based.gate.example';
const BASED_RPC = 'based-rpc.gate.example';
const TYPED = 'typed.gate.example';

bothPaths(
  'what goes to an upstream, and what comes back',
  (path) => {
    let node: FakeNode;
    let gate: TestGateway;
    let reply: { status: number; headers: Record<string, string | string[]>; body: string } = {
      status: 200,
      headers: {},
      body: '',
    };

    before(async () => {
      node = await startNode((_req, res) => {
        res.writeHead(reply.status, reply.headers);
        res.end(reply.body);
      });
      const route = (host: string, id: string, changes: Partial<GatewayRoute>): GatewayRoute =>
        routeOf([node.url], { host, id: id as GatewayRoute['id'], ...changes });
      const based = {
        url: `http://user:s%20cret@127.0.0.1:${node.port}/v3/ProviderSecret1/?token=ProviderSecret2`,
        headers: { 'X-Provider-Key': 'ProviderSecret3' },
      };
      gate = await startGateway(
        [
          route(HOST, '1', {}),
          route(HTTP, '2', { protocol: 'http' }),
          route(BASED, '3', { protocol: 'http', upstreams: [based] }),
          route(BASED_RPC, '4', { upstreams: [based] }),
          route(TYPED, '5', {
            upstreams: [{ url: node.url, headers: { 'Content-Type': 'application/json; charset=utf-8' } }],
          }),
        ],
        {},
        path,
      );
    });
    after(async () => {
      await gate.close();
      await node.close();
    });
    const last = (): FakeNode['seen'][number] => node.seen.at(-1)!;
    const answerWith = (status: number, headers: Record<string, string | string[]>, body = 'x'): void =>
      void (reply = { status, headers, body });

    test('the body goes byte for byte, the key in neither form (fault 23)', async () => {
      answerWith(200, {}, 'answer');
      const body = `  ${CALL}\n`;
      for (const request of [{ body }, { path: `/${KEY}`, key: null, body }, { path: `/${KEY}/`, body }]) {
        const answer = await ask(gate.port, request);
        assert.deepEqual([answer.status, answer.text], [200, 'answer']);
        assert.deepEqual([last().method, last().url, last().body], ['POST', '/', body]);
        assert.equal(last().headers.authorization, undefined);
        assert(!last().rawHeaders.join('\n').includes('tgk_'));
      }
    });

    test('the rest of the path and the query go byte for byte', async () => {
      answerWith(200, {});
      const rest = '/wallet/get%20now%2Bblock/a..b?visible=true&x=%2F..%2f&y=~|';
      await ask(gate.port, { host: HTTP, method: 'GET', path: `/${KEY}${rest}`, key: null });
      assert.equal(last().url, rest);
      await ask(gate.port, { host: HTTP, method: 'GET', path: '/wallet/getnowblock' });
      assert.equal(last().url, '/wallet/getnowblock');
      await ask(gate.port, { host: HTTP, method: 'GET', path: `/${KEY}?a=b` });
      assert.equal(last().url, '/?a=b');
    });

    test('the query of a JSON-RPC request goes byte for byte, before that of the upstream', async () => {
      answerWith(200, {});
      const query = '?network=a%2Fb&x=~|';
      for (const [path, key] of [
        [`/${query}`, KEY],
        [`/${KEY}${query}`, null],
      ] as const) {
        assert.equal((await ask(gate.port, { path, key })).status, 200);
        assert.equal(last().url, `/${query}`);
      }
      await ask(gate.port, { host: BASED_RPC, path: '/?a=b' });
      assert.equal(last().url, '/v3/ProviderSecret1/?a=b&token=ProviderSecret2');
      await ask(gate.port, { host: BASED_RPC });
      assert.equal(last().url, '/v3/ProviderSecret1/?token=ProviderSecret2');
      assert.equal((await ask(gate.port, { path: `/?key=${KEY}` })).status, 400);
    });

    test('fault 132: the key in encoded characters elsewhere in the target does not go to the upstream', async () => {
      const asked = node.seen.length;
      const hex = (text: string): string => text.replace(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
      for (const form of [`%74${KEY.slice(1)}`, hex(KEY), hex(KEY).toUpperCase()])
        for (const request of [
          { host: HTTP, method: 'GET', path: `/${KEY}/x?k=${form}`, key: null },
          { host: HTTP, method: 'GET', path: `/x/${form}` },
          { path: `/?k=${form}` },
        ])
          assert.equal((await ask(gate.port, request)).status, 400, request.path);
      assert.equal(node.seen.length, asked);
    });

    test('fault 142: JSON-RPC without a Content-Type goes to the upstream with one; another type and other requests as they are', async () => {
      answerWith(200, {});
      const typeOf = async (host: string, ...fields: string[]): Promise<readonly string[]> => {
        const head = [
          'POST / HTTP/1.1',
          `Host: ${host}`,
          `Authorization: Bearer ${KEY}`,
          `Content-Length: ${CALL.length}`,
        ];
        await rawExchange(gate.port, `${[...head, ...fields, 'Connection: close'].join('\r\n')}\r\n\r\n${CALL}`);
        const { rawHeaders } = last();
        return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'content-type');
      };
      assert.deepEqual(await typeOf(HOST), ['application/json']);
      assert.deepEqual(await typeOf(HOST, 'X-Kind: content-type'), ['application/json']);
      assert.deepEqual(await typeOf(HOST, 'Content-Type: text/plain'), ['text/plain']);
      assert.deepEqual(await typeOf(TYPED), ['application/json; charset=utf-8']);
      assert.deepEqual(await typeOf(HTTP), []);
    });

    test("the host is the upstream's, hop-by-hop headers and what Connection lists are gone, in any case", async () => {
      answerWith(200, {});
      await ask(gate.port, {
        headers: {
          CONNECTION: 'keep-alive, X-Listed, Authorization',
          'X-LISTED': 'a',
          'Keep-Alive': 'timeout=5',
          TE: 'trailers',
          'Proxy-Connection': 'x',
          'Proxy-Authorization': 'x',
          'X-Forwarded-For': '1.2.3.4',
          'x-forwarded-host': 'evil',
          Forwarded: 'for=1.2.3.4',
          'X-Real-IP': '1.2.3.4',
          Cookie: 'a=b',
          Referer: `https://${HOST}/${KEY}/`,
          'X-Leak': `a ${KEY}`,
          'X-Http-Method-Override': 'DELETE',
          'X-Kept': 'yes',
          'Accept-Encoding': 'br',
          'X-Twice': ['1', '2'],
        },
      });
      const { headers, rawHeaders } = last();
      assert.equal(headers.host, `127.0.0.1:${node.port}`);
      assert.deepEqual(Object.keys(headers).sort(), [
        'accept-encoding',
        'connection',
        'content-length',
        'content-type',
        'host',
        'via',
        'x-kept',
        'x-twice',
      ]);
      assert.equal(headers['accept-encoding'], 'br');
      assert.equal(rawHeaders.filter((name) => name.toLowerCase() === 'x-twice').length, 2);
    });

    test('an upstream has its own base path, query, credentials and headers, which no client replaces', async () => {
      answerWith(200, {});
      await ask(gate.port, {
        host: BASED,
        method: 'GET',
        path: '/wallet?a=b',
        headers: { 'x-provider-key': 'mine', connection: 'X-Provider-Key, authorization' },
      });
      assert.equal(last().url, '/v3/ProviderSecret1/wallet?a=b&token=ProviderSecret2');
      assert.deepEqual(
        last().rawHeaders.filter((_, at, all) => all[at - 1]?.toLowerCase() === 'x-provider-key'),
        ['ProviderSecret3'],
      );
      assert.equal(last().headers.authorization, `Basic ${Buffer.from('user:s cret').toString('base64')}`);
    });

    test('cookies, policies of another host and hop-by-hop headers do not come back (fault 29)', async () => {
      answerWith(200, {
        'Set-Cookie': ['a=b', 'c=d'],
        'Strict-Transport-Security': 'max-age=1',
        'Alt-Svc': 'h3=":443"',
        'WWW-Authenticate': 'Basic',
        Connection: 'close, X-Hop',
        'X-Hop': 'a',
        'X-Trace-Id': 'theirs',
        'X-Kept': 'yes',
        'Content-Encoding': 'br',
        'X-Reflected': 'id=ProviderSecret3',
      });
      const { headers } = await ask(gate.port, { host: BASED, method: 'GET' });
      for (const name of [
        'set-cookie',
        'strict-transport-security',
        'alt-svc',
        'www-authenticate',
        'x-hop',
        'x-reflected',
      ])
        assert.equal(headers[name], undefined, name);
      assert.deepEqual([headers['x-kept'], headers['content-encoding']], ['yes', 'br']);
      assert.match(String(headers['x-trace-id']), /^0[0-9a-f]{31}$/);
    });

    const locations: readonly (readonly [string, boolean])[] = [
      ['https://docs.example/x', true],
      ['/relative', false],
      ['relative', false],
      ['//docs.example/x', false],
      ['javascript:alert(1)', false],
      ['http://127.0.0.1/x', false],
      ['http://10.0.0.1/x', false],
      ['https://user:pass@docs.example/', false],
      ['https://docs.example/ProviderSecret1', false],
    ];
    for (const [location, kept] of locations) {
      test(`a redirect to ${location} is not followed; the client ${kept ? 'is' : 'is not'} told where (fault 29)`, async () => {
        answerWith(302, { location });
        const asked = node.seen.length;
        const answer = await ask(gate.port, { host: BASED, method: 'GET' });
        assert.deepEqual(
          [answer.status, answer.headers.location, node.seen.length],
          [302, kept ? location : undefined, asked + 1],
        );
      });
    }

    test('statuses and bodies come back as they are; a reply without a length gets a framing of its own', async () => {
      for (const status of [200, 201, 400, 404, 429, 500]) {
        answerWith(status, {}, `status ${status}`);
        const answer = await ask(gate.port, { host: HTTP, method: 'GET' });
        assert.deepEqual([answer.status, answer.text], [status, `status ${status}`]);
        assert.equal(answer.headers['transfer-encoding'], undefined);
      }
      answerWith(204, {}, '');
      assert.deepEqual([(await ask(gate.port, { host: HTTP, method: 'GET' })).status], [204]);
    });

    test('HEAD has the length and no body', async () => {
      answerWith(200, { 'content-length': '1' });
      const answer = await ask(gate.port, { host: HTTP, method: 'HEAD' });
      assert.deepEqual([answer.status, answer.headers['content-length'], answer.text], [200, '1', '']);
    });

    test("an upstream that refuses our own credentials is a 502, not the client's fault", async () => {
      answerWith(401, { 'WWW-Authenticate': 'Basic' });
      const answer = await ask(gate.port);
      assert.deepEqual([answer.status, answer.headers['www-authenticate']], [502, undefined]);
    });

    test('a batch goes as it is', async () => {
      answerWith(200, {}, '[]');
      const body = `[${CALL},${CALL}]`;
      assert.equal((await ask(gate.port, { body })).status, 200);
      assert.equal(last().body, body);
    });

    test('a new table of routes holds from the next request on', async () => {
      answerWith(200, {});
      gate.setRoutes([routeOf([node.url], { host: 'new.gate.example' })]);
      assert.equal((await ask(gate.port)).status, 404);
      assert.equal((await ask(gate.port, { host: 'new.gate.example' })).status, 200);
    });
  },
  ['mixed'],
);
