import type { Migration } from './migration.ts';

/** Answers that instances share. They may be lost at any time, so that PostgreSQL needs not log them. */
export const gatewayAnswers: Migration = {
  name: '0005-gateway-answers',
  statements: ({ answers }, { manyServers, types: { text, time, int } }) => [
    `CREATE ${manyServers ? 'UNLOGGED ' : ''}TABLE ${answers} (
      key ${text} PRIMARY KEY, value ${text} NOT NULL, size ${int} NOT NULL, expires_at ${time} NOT NULL)`,
    `CREATE INDEX ${answers}_expires ON ${answers} (expires_at)`,
  ],
};
