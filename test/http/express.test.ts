import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import express from 'express';
import { assertError, dataOf } from '../support/http.ts';
import { startFakeEdge } from './fake-edge.ts';

const BODY = { price: 1, currency: 'USD' };

describe('the Express binding', () => {
  test('under a mount path, routes drop it and signatures keep it', async () => {
    const edge = await startFakeEdge({ mount: '/shop/till' });
    try {
      const response = await fetch(`${edge.url}shop/till/api/v2/order/?page=1`, { headers: { 'API-Key': 'good' } });
      assert.equal(response.status, 200);
      assert.equal(edge.asked.authenticated[0]?.target, '/shop/till/api/v2/order/?page=1');
    } finally {
      await edge.close();
    }
  });

  test('other handlers of the application keep their paths, and their errors become 50000', async () => {
    const edge = await startFakeEdge({
      app: (app) => {
        app.get('/hello', (_req, res) => void res.json({ hello: true }));
        app.get('/broken', () => {
          throw new Error('secret');
        });
      },
    });
    try {
      const hello = await fetch(`${edge.url}hello`);
      assert.deepEqual(await hello.json(), { hello: true });
      const broken = await fetch(`${edge.url}broken`);
      assert.equal(broken.status, 500);
      assert.doesNotMatch(await broken.text(), /secret/);
      assertError(await edge.client.get('/elsewhere'), 40400);
    } finally {
      await edge.close();
    }
  });

  test('a body parser that stands before it is named in the log, and the request does not hang', async () => {
    const edge = await startFakeEdge({ app: (app) => void app.use(express.json()) });
    try {
      assertError(await edge.client.post('/api/order/pay-url', BODY), 50000);
      assert.match(JSON.stringify(edge.logger.lines), /before any body parser/);
    } finally {
      await edge.close();
    }
  });

  test('middleware that waits before it loses nothing of the body', async () => {
    const edge = await startFakeEdge({ app: (app) => void app.use((_req, _res, next) => void setImmediate(next)) });
    try {
      dataOf(await edge.client.post('/api/order/pay-url', BODY));
    } finally {
      await edge.close();
    }
  });

  test('requests and responses are born with the prototypes that Express would give them', async () => {
    const seen: boolean[] = [];
    const edge = await startFakeEdge({
      app: (app) =>
        void app.use((req, res, next) => {
          seen.push(Object.getPrototypeOf(req) === app.request && Object.getPrototypeOf(res) === app.response);
          // `handle` was given objects of these prototypes already: they come from the constructors themselves.
          seen.push(
            req.constructor === app.request.constructor && req.ip !== undefined && typeof res.send === 'function',
          );
          next();
        }),
    });
    try {
      dataOf(await edge.client.get('/livez'));
      assert.deepEqual(seen.slice(0, 2), [true, true]);
    } finally {
      await edge.close();
    }
  });
});
