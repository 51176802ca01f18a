import { restoreDrill } from './restore-drill.ts';

restoreDrill('sqlite');
