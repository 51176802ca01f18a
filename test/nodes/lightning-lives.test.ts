import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { LightningTill } from './lightning-till.ts';

const MSAT = 1_000_000n;
/** An order waits this long: what is booked at its deadline alone is booked too late. */
const ORDER_SECONDS = 1_200;

describe('a real lnd that is made again from its seed', { concurrency: 1 }, () => {
  let till: LightningTill;
  before(async () => {
    till = await LightningTill.start({ timeoutSeconds: ORDER_SECONDS });
  });
  after(() => till.close());

  const alerts = async (): Promise<string> => JSON.stringify(await till.command('alert', 'list'));
  const withdrawn = async (): Promise<unknown> =>
    (await till.withdraw((await till.fixture.invoice(MSAT)).paymentRequest))['tx_id'];

  test('faults 343, 344: an alert at once, sales are booked as they are paid, and payments wait for "lightning confirm"', async () => {
    for (let sales = 0; sales < 3; sales++) await till.earn('100');
    await till.ends(await withdrawn(), 'SUCCESS');
    const held = await till.fixture.holdInvoice(MSAT);
    const { tx_id: former } = await till.withdraw(held.paymentRequest);
    await till.fixture.invoiceIs(held.paymentHash, 'ACCEPTED');

    await till.fixture.beginAnew();
    await till.until(async () => (await alerts()).includes('began anew'), 'the alert');
    const earned = await till.wallet();
    await till.earn('10');
    assert.notEqual((await till.wallet()).available, earned.available);

    const waiting = await withdrawn();
    assert.equal((await till.row(waiting))['status'], 'PENDING');
    assert.deepEqual(await till.fixture.payments(), [], 'lnd is given nothing');
    const { code, out, err } = await till.run('transfer', 'cancel', String(former), '--reason', 'unknown');
    assert.equal(code, 1, `${out}${err}`);

    await till.command('lightning', 'confirm');
    await till.ends(waiting, 'SUCCESS');
    await till.until(
      async () => JSON.stringify(await till.command('withdrawal', 'list', '--status', 'HELD')).includes(String(former)),
      'the former payment to be held',
    );
    assert.equal((await till.row(former))['status'], 'PENDING');
    assert.deepEqual(
      (await till.fixture.payments()).map(({ status, msat }) => [status, msat]),
      [['SUCCEEDED', MSAT]],
      'what the former one was given is not given again',
    );
    assert.equal(till.log.includes('[redacted]'), false, 'no alert looks like the words of a seed');
    await till.booksHold();
  });
});
