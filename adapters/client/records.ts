import type { z } from 'zod';
import type { callbackOrderSchema } from '../http/operations/order-record.ts';

/**
 * The body of a POST callback to an order's own URL, with the names of the payment API.
 *
 * @interface
 */
export type CallbackOrder = Readonly<z.output<typeof callbackOrderSchema>>;
