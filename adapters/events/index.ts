/** The in-process event bus. @packageDocumentation */
export * from './eventemitter3-bus.ts';
