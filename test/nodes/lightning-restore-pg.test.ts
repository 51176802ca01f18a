import { restoreDrill } from '../e2e/restore-drill.ts';
import { openLightningDrill } from './lightning-drill.ts';

restoreDrill('lnd and pg', () => openLightningDrill('pg'));
