import { restoreDrill } from './restore-drill.ts';

restoreDrill('pg');
