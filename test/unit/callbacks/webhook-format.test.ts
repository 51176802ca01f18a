import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatOf, outboxRows, patternsOf, STANDARD_FORMAT, WEBHOOK_PATTERNS } from '../../../core/index.ts';
import type { AccountId, WebhookFormat, WebhookId } from '../../../core/index.ts';

const OTHER: WebhookFormat = {
  name: 'other',
  types: ['Made'],
  headers: () => ({}),
  test: () => '{}',
  again: (body) => body,
};

describe('the format of a webhook endpoint', () => {
  test('decides that the till’s own events are for endpoints of its own format alone', () => {
    const to = (format: string) => ({
      ...{
        id: '1' as WebhookId,
        accountId: '2' as AccountId,
        url: 'https://shop.example/',
        events: ['order.*'],
        format,
      },
    });
    let made = 0;
    const ids = { next: () => String((made += 1)) };
    const event = { type: 'order.created', subjectId: '3', at: 0, data: () => '{}' } as const;
    assert.equal(outboxRows(ids, [to(STANDARD_FORMAT)], event).length, 1);
    assert.deepEqual(outboxRows(ids, [to('other')], event), []);
  });

  test('decides to what it can subscribe', () => {
    assert.deepEqual(patternsOf(formatOf('other', [OTHER])), ['*', 'Made']);
    assert.deepEqual(patternsOf(formatOf(STANDARD_FORMAT, [OTHER])), WEBHOOK_PATTERNS);
    assert.throws(() => formatOf('unknown', [OTHER]), /the format unknown/);
  });
});
