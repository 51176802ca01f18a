import { describeLightning } from '../../../adapters/testing/index.ts';
import { fakeHarness } from '../../support/lightning/harness.ts';

describeLightning(
  'Core Lightning',
  fakeHarness('cln', { heldHere: 'it knows no invoices whose payment is held; a plugin of its own adds them' }),
);
