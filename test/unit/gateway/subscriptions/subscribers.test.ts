import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSharedKind } from '../../../../core/index.ts';
import type { SharedKind } from '../../../../core/index.ts';
import { Subscribers } from '../../../../host/gateway/subscriptions/subscribers.ts';
import type { Subscriber, Subscription } from '../../../../host/gateway/subscriptions/subscribers.ts';
import { block, branch } from './blocks.ts';

const ADDRESS = `0x${'11'.repeat(20)}`;

function listed(): {
  readonly all: Subscribers;
  readonly got: string[];
  readonly subscribe: (since: number, ...params: unknown[]) => Subscription;
} {
  const all = new Subscribers();
  const got: string[] = [];
  const subscriber: Subscriber = {
    notify: (id, result) => got.push(`${id} ${result}`),
    lost: () => undefined,
  };
  let ids = 0;
  const subscribe = (since: number, ...params: unknown[]): Subscription => {
    const subscription = { id: `s${++ids}`, kind: readSharedKind(params) as SharedKind, subscriber, since };
    all.add(subscription);
    return subscription;
  };
  return { all, got, subscribe };
}

describe('the subscriptions of all clients of a route', () => {
  const header = block('a1', 1, 'g', 0);
  const { logs } = block('a1', 1, 'g', 2);

  it('get the blocks after their begin: not the one whose logs were asked for before it, nor its end', () => {
    const { all, got, subscribe } = listed();
    subscribe(6, 'newHeads');
    subscribe(7, 'newHeads');
    subscribe(6, 'logs', { address: ADDRESS });
    subscribe(7, 'logs', { address: ADDRESS });
    all.added({ header, logs, turn: 7 });
    assert.deepEqual(got, [`s1 ${header.text}`, `s3 ${logs[0]!.text}`, `s3 ${logs[1]!.text}`]);
    got.length = 0;
    all.removed({ header, logs, turn: 7 });
    assert.deepEqual(got, ['s3 {"of":"a1","index":1,"removed":true}', 's3 {"of":"a1","index":0,"removed":true}']);
  });

  it('want the logs of all filters, and none without one', () => {
    const { all, subscribe } = listed();
    assert.equal(all.wantedLogs(), null);
    const one = subscribe(0, 'logs', { address: ADDRESS });
    const same = subscribe(0, 'logs', { address: [ADDRESS] });
    assert.deepEqual([all.filters, all.wantedLogs()], [1, { addresses: [ADDRESS], topics: [] }]);
    const every = subscribe(0, 'logs', {});
    assert.deepEqual([all.filters, all.wantedLogs()], [2, { addresses: [], topics: [] }]);
    for (const each of [every, one, same, same]) all.remove(each);
    assert.deepEqual([all.filters, all.wantedLogs(), all.isEmpty], [0, null, true]);
  });

  it('are matched by each filter alone', () => {
    const { all, got, subscribe } = listed();
    subscribe(0, 'logs', { address: `0x${'22'.repeat(20)}` });
    subscribe(0, 'logs', { topics: [null] });
    const [first] = branch('a', 1, 1, 'g');
    all.added({ header: first!, logs: first!.logs, turn: 1 });
    assert.deepEqual(got, []);
  });

  it('of pending transactions are kept by kind', () => {
    const { all, got, subscribe } = listed();
    subscribe(0, 'newPendingTransactions');
    const full = subscribe(0, 'newPendingTransactions', true);
    assert.equal(all.pendingKinds().length, 2);
    all.pending(full.kind.key, '"0x1"');
    assert.deepEqual(got, ['s2 "0x1"']);
    assert.equal(all.removeKind(full.kind).size, 1);
    assert.equal(all.clear().size, 1);
    assert(all.isEmpty);
  });
});
