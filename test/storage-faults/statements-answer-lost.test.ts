import { everyStatementFails } from './nth-statement.ts';

everyStatementFails('answer lost');
