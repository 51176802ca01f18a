import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Eventemitter3Bus } from '../../../../adapters/events/index.ts';
import type { OrderId } from '../../../../core/index.ts';
import { MemoryLogger } from '../../../support/fakes.ts';
import { waitFor } from '../../../support/wait.ts';

const event = { orderId: '1600000000000000001' as OrderId };

describe('Eventemitter3Bus', () => {
  test('tells every listener of an event, in the order in which they came', () => {
    const bus = new Eventemitter3Bus(new MemoryLogger());
    const told: unknown[] = [];
    bus.on('order.payment', (heard) => told.push(['first', heard]));
    bus.on('order.payment', (heard) => told.push(['second', heard]));
    bus.on('chain.halted', () => told.push('never'));
    bus.emit('order.payment', event);
    assert.deepEqual(told, [
      ['first', event],
      ['second', event],
    ]);
  });

  test('each subscription ends alone, and ending it twice does nothing', () => {
    const bus = new Eventemitter3Bus(new MemoryLogger());
    let calls = 0;
    const listener = (): void => void (calls += 1);
    const end = bus.on('order.payment', listener);
    bus.on('order.payment', listener);
    end();
    end();
    bus.emit('order.payment', event);
    assert.equal(calls, 1);
  });

  test('a listener that throws is logged, and harms neither the emitter nor the others', () => {
    const logger = new MemoryLogger();
    const bus = new Eventemitter3Bus(logger);
    const failure = new Error('no');
    let told = false;
    bus.on('order.payment', () => {
      throw failure;
    });
    bus.on('order.payment', () => void (told = true));
    bus.emit('order.payment', event);
    assert.equal(told, true);
    assert.deepEqual(logger.lines, [
      { level: 'error', message: 'an event listener failed', fields: { event: 'order.payment', error: failure } },
    ]);
  });

  test('an asynchronous listener that fails is logged too', async () => {
    const logger = new MemoryLogger();
    const bus = new Eventemitter3Bus(logger);
    bus.on('order.payment', () => Promise.reject(new Error('later')) as unknown as undefined);
    bus.emit('order.payment', event);
    await waitFor(() => logger.lines.length === 1);
  });

  test('an event without listeners is nothing', () => {
    new Eventemitter3Bus(new MemoryLogger()).emit('order.payment', event);
  });
});
