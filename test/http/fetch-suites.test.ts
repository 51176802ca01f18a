// @own-process: the binding is chosen once for a process, before the suites are loaded.
/** The suites of the HTTP edge over the fetch binding: the same tests, another binding. */
import { useBinding } from './fake-edge.ts';

useBinding('fetch');
await import('./bodies.test.ts');
await import('./checkout.test.ts');
await import('./envelope.test.ts');
await import('./json.test.ts');
await import('./money-out.test.ts');
await import('./openapi.test.ts');
await import('./order-of-checks.test.ts');
await import('./sandbox.test.ts');
