const WORD = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;

/** A code from the database: a status, a kind, a chain. A value of another form is not shown. */
export const word = (value: unknown): string => (typeof value === 'string' && WORD.test(value) ? value : 'other');
