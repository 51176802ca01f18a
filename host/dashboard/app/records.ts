import type { z } from 'zod';
import type { callbackSchema } from '../../../adapters/http/manage/callbacks.ts';
import type { managedOrderSchema, orderFileSchema } from '../../../adapters/http/manage/order-record.ts';
import type { historySchema } from '../../../adapters/http/manage/orders.ts';
import type { passkeyListSchema } from '../../../adapters/http/manage/passkeys.ts';
import type { securitySchema } from '../../../adapters/http/manage/security.ts';
import type { serviceSchema } from '../../../adapters/http/manage/service.ts';

/** A record with the id by which the application names it. */
type Named<T> = T & { readonly id: string };

export type ServiceRecord = z.output<typeof serviceSchema>;
/** An order of a list. */
export type OrderRecord = Named<z.output<typeof managedOrderSchema>>;
/** An order with everything that belongs to it. */
export type OrderFile = Named<z.output<typeof orderFileSchema>>;
export type OrderHistory = z.output<typeof historySchema>;
export type CallbackRecord = z.output<typeof callbackSchema>;
export type SecurityRecord = z.output<typeof securitySchema>;
export type PasskeyList = z.output<typeof passkeyListSchema>;
