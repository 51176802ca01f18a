import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { after, afterEach, before, describe, test } from 'node:test';
import { RangeService } from '../../../../adapters/breached-passwords/index.ts';
import { startRangeService } from '../../../support/range-service.ts';
import type { FakeRangeService } from '../../../support/range-service.ts';
import { MemoryLogger } from '../../../support/fakes.ts';

const BREACHED = 'correct horse staple';
const PADDING = 'a hash that is padding';
const FRESH = 'nobody has this one \u00e9\0';

describe('passwords of data breaches, by the range protocol', () => {
  let fake: FakeRangeService;
  let logger: MemoryLogger;
  before(async () => (fake = await startRangeService({ [BREACHED]: 3, [FRESH.normalize('NFD')]: 1 }, [PADDING])));
  after(() => fake.close());
  afterEach(() => {
    fake.answer = null;
    fake.asked.length = 0;
  });
  const service = (more: object = {}): RangeService => {
    logger = new MemoryLogger();
    return new RangeService({ url: fake.url, timeoutMs: 10_000, logger, ...more });
  };

  test('are known by their exact bytes; padding is no breach', async () => {
    const asked = service({ url: `${fake.url}/` });
    assert.equal(await asked.isBreached(BREACHED), true);
    assert.equal(await asked.isBreached(FRESH), false);
    assert.equal(await asked.isBreached(PADDING), false);
    assert.deepEqual(logger.lines, []);
  });

  test('are asked for by five digits of the hash alone, with padding', async () => {
    await service().isBreached(BREACHED);
    const hash = createHash('sha1').update(BREACHED).digest('hex').toUpperCase();
    const [question] = fake.asked;
    assert.deepEqual([question?.method, question?.url], ['GET', `/range/${hash.slice(0, 5)}`]);
    assert.equal(question?.headers['add-padding'], 'true');
    assert.doesNotMatch(JSON.stringify(fake.asked), new RegExp(`${hash.slice(0, 6)}|${BREACHED}`, 'i'));
  });

  const trouble: readonly (readonly [string, RegExp, (response: ServerResponse) => void])[] = [
    ['a page of something in between', /not return a range/, (response) => response.end('<html>Log in</html>')],
    [
      'half a range',
      /not return a range/,
      (response) => response.end('0018A45C4D1DEF81644B54AB7F969B88D65:1\r\n00D4F6E'),
    ],
    ['a refusal', /status 429/, (response) => response.writeHead(429).end('{"statusCode": 429}')],
    ['a redirect', /status 302/, (response) => response.writeHead(302, { location: `${fake.url}/00000` }).end()],
    [
      'an end in the middle',
      / cannot be reached \(/,
      (response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('0018A45C4D1DEF81644B54AB7F969B88D65:1\r\n', () => response.destroy());
      },
    ],
    [
      'more than fits',
      /not return a range/,
      (response) => {
        const line = `${'0'.repeat(35)}:1\r\n`.repeat(1000);
        const more = (): void => {
          if (!response.destroyed && response.write(line)) setImmediate(more);
        };
        response.on('drain', more);
        more();
      },
    ],
  ];
  for (const [what, reason, answer] of trouble)
    test(`${what}: the password passes, and one warning says why without it`, async () => {
      fake.answer = answer;
      assert.equal(await service().isBreached(BREACHED), false);
      assert.equal(fake.asked.length, 1);
      const [line, ...others] = logger.lines;
      assert.deepEqual([line?.level, others.length], ['warn', 0]);
      assert.match(JSON.stringify(line), reason);
      const hash = createHash('sha1').update(BREACHED).digest('hex');
      assert.doesNotMatch(JSON.stringify(line), new RegExp(`${BREACHED}|${hash.slice(0, 5)}`, 'i'));
    });

  test('a service that does not answer, or is not there, keeps nobody waiting', async () => {
    fake.answer = () => undefined;
    assert.equal(await service({ timeoutMs: 50 }).isBreached(BREACHED), false);
    assert.match(JSON.stringify(logger.lines), /did not answer in time/);
    assert.equal(await service({ url: 'http://127.0.0.1:1/range' }).isBreached(BREACHED), false);
    assert.match(JSON.stringify(logger.lines), /ECONNREFUSED/);
  });
});
