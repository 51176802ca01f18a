import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { raiseAlert, StoreAlerts } from '../../core/index.ts';
import type { Storage } from '../../core/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import { FakeIds, MemoryEventBus, MemoryLogger, MemoryMetrics } from '../support/fakes.ts';
import type { TestStorage } from '../support/storage.ts';
import { dataIn, eventsFor, subscribe, typesOf } from '../support/subscribe.ts';
import { assertRefused, managed, startFixture } from './fixture.ts';
import type { Fixture, List } from './fixture.ts';

type Fields = Record<string, unknown>;

const ALERTS = '/manage/v1/alerts';

eachStorage((_name, open) => {
  let store: TestStorage;
  let fixture: Fixture;
  /** Raises through a bus of its own, and waits until it is stored. */
  let raise: (subject: string, reason: string) => Promise<void>;
  let stop: () => Promise<void>;
  before(async () => {
    store = await open();
    fixture = await startFixture(store);
    const { storage, clock } = fixture.till.till;
    const channels = { logger: new MemoryLogger(), events: new MemoryEventBus(), metrics: new MemoryMetrics() };
    const alerts = new StoreAlerts({ ...channels, storage, clock, ids: fixture.till.till.ids });
    alerts.start();
    alerts.start();
    raise = (subject, reason) => {
      raiseAlert(channels, 'loss', subject, reason);
      return alerts.settled();
    };
    stop = () => alerts.stop();
  });
  after(async () => {
    await stop();
    await fixture.close();
    await store.close();
  });

  const listed = async (query = ''): Promise<readonly Fields[]> =>
    managed<List<Fields>>(await fixture.admin.client.get(`${ALERTS}${query}`)).items;

  test('fault 203: what is raised again counts, until an admin has closed it', async () => {
    const endpoint = await subscribe(store.storage, fixture.admin.account.id, { events: ['alert.*'] });
    for (const reason of ['first', 'second', 'third']) await raise('chain A', reason);
    await raise('chain B', 'other');
    const [other, one] = await listed('?status=OPEN');
    assert.deepEqual(
      [one?.['subject'], one?.['reason'], one?.['count'], other?.['subject'], other?.['count']],
      ['chain A', 'third', 3, 'chain B', 1],
    );
    const path = `${ALERTS}/${String(one?.['id'])}/acknowledge`;
    const closed = managed(await fixture.admin.client.request('POST', path));
    assert.deepEqual([closed['status'], closed['acknowledged_by']], ['ACKNOWLEDGED', fixture.admin.id]);
    assertRefused(await fixture.admin.client.request('POST', path), 409);
    await raise('chain A', 'again');
    assert.deepEqual(
      (await listed()).map(({ subject, status, count }) => [subject, status, count]),
      [
        ['chain A', 'OPEN', 1],
        ['chain B', 'OPEN', 1],
        ['chain A', 'ACKNOWLEDGED', 3],
      ],
    );
    assert.equal((await listed('?status=ACKNOWLEDGED')).length, 1);
    const events = await eventsFor(store.storage, endpoint);
    assert.deepEqual(typesOf(events), Array<string>(3).fill('alert.raised'), 'one for each that was opened');
    assert.deepEqual([dataIn(events[0]!)['id'], dataIn(events[0]!)['reason']], [one?.['id'], 'first']);
  });

  test('fault 204: a merchant neither reads, closes nor receives them', async () => {
    const user = await fixture.newMember();
    const endpoint = await subscribe(store.storage, user.account.id, { events: ['alert.*'] });
    await raise('chain C', 'secret of the operators');
    const [alert] = await listed();
    assertRefused(await user.client.get(ALERTS), 403);
    assertRefused(await user.client.request('POST', `${ALERTS}/${String(alert?.['id'])}/acknowledge`), 403);
    assert.deepEqual(await eventsFor(store.storage, endpoint), []);
    assert.equal((await listed('?status=OPEN'))[0]?.['id'], alert?.['id']);
    assertRefused(await fixture.admin.client.request('POST', `${ALERTS}/1530217733410816001/acknowledge`), 404);
    assertRefused(await fixture.admin.client.get(`${ALERTS}?status=none`), 400, 'status');
  });

  test('fault 203: the work goes on and the log has it while the database is away', async () => {
    const { clock } = fixture.till;
    const channels = { logger: new MemoryLogger(), events: new MemoryEventBus(), metrics: new MemoryMetrics() };
    const away: Pick<Storage, 'transaction'> = { transaction: () => Promise.reject(new Error('no connection')) };
    const alerts = new StoreAlerts({ ...channels, storage: away, clock, ids: new FakeIds(clock) });
    alerts.start();
    for (const subject of ['chain A', 'chain B']) raiseAlert(channels, 'loss', subject, 'gone');
    await alerts.stop();
    const messages = channels.logger.lines.map(({ message }) => message);
    assert.equal(messages.filter((message) => message === 'manual intervention required').length, 2);
    assert.equal(messages.filter((message) => message === 'an alert could not be stored').length, 2);
    raiseAlert(channels, 'loss', 'chain C', 'after it was stopped');
    await alerts.settled();
    assert.equal(channels.logger.lines.length, 5);
  });
});
