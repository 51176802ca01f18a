import { describeLightning } from '../../../adapters/testing/index.ts';
import { fakeHarness } from '../../support/lightning/harness.ts';

describeLightning(
  'phoenixd',
  fakeHarness('phoenixd', {
    heldHere: 'it knows no invoices whose payment is held',
    hints: 'it is asked from time to time',
    unsettled: 'it does not show what payments under way hold',
    millisatoshi: 'it asks for whole satoshis',
    feeLimit: 'it has a price of its own, which is compared with the limit beforehand',
  }),
);
