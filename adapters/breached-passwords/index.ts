/** Passwords that data breaches have made public. @packageDocumentation */
export * from './range-service.ts';
