/** The suites of the HTTP edge over the fetch binding: the same tests, another binding. */
import { useBinding } from './fake-edge.ts';

useBinding('fetch');
for (const suite of ['bodies', 'checkout', 'envelope', 'json', 'money-out', 'openapi', 'order-of-checks', 'sandbox']) {
  await import(`./${suite}.test.ts`);
}
