/** Time, ids and deadlines of the machine. @packageDocumentation */
export * from './anchored-clock.ts';
export * from './deadline.ts';
export * from './snowflake-ids.ts';
export * from './system-clock.ts';
