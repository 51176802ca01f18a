import { describeStorage } from '../../../adapters/testing/index.ts';
import { eachStorage } from '../../support/each-storage.ts';

eachStorage((name, open) => describeStorage(name, () => open()));
