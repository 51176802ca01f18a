import assert from 'node:assert/strict';
import { test } from 'node:test';
import { payoutBody } from '../../../adapters/http/manage/payouts/payouts.ts';
import { bodyOf } from '../../../host/dashboard/app/pages/wallet/withdrawal-form.ts';

const WALLETS = [
  { coin: 'ETH', chain: 'ETH' },
  { coin: 'BTC-LN', chain: 'BLN' },
] as const;

test('a withdrawal is requested with the fields of the API, and without those that are empty', () => {
  const filled = { coin: 'BTC-LN', amount: '0.001', verify_code: '123456', invoice: 'lnbc1' };
  const body = bodyOf(filled, WALLETS);
  assert.deepEqual(body, { ...filled, chain: 'BLN' });
  assert.deepEqual(payoutBody.strict().safeParse(body).error?.issues, undefined);
  assert.deepEqual(bodyOf({ coin: 'ETH', amount: '1', verify_code: '', invoice: '' }, WALLETS), {
    ...{ coin: 'ETH', chain: 'ETH', amount: '1' },
  });
});
