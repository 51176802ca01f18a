import { describeLightning } from '../../../adapters/testing/index.ts';
import { fakeHarness } from '../../support/lightning/harness.ts';

describeLightning('lnd', fakeHarness('lnd', {}));
