import { everyStatementFails } from './nth-statement.ts';

everyStatementFails('refused');
