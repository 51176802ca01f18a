import type { EventData } from '../../adapters/client/index.ts';
import { fromWire } from '../../adapters/http/index.ts';
import type { FailedEvent, HandledEvent, HandledType } from '../../core/index.ts';

/** The record of an event: `order` for `order.succeeded`. */
type Group<Type extends string> = Type extends `${infer Name}.${string}` ? Name : never;

/** An event with its record under the name of its kind: `event.order` for `order.succeeded`. */
export type TillEvent<Type extends HandledType = HandledType> = Type extends HandledType
  ? Omit<HandledEvent, 'data'> & { readonly type: Type } & { readonly [Name in Group<Type>]: EventData[Type] }
  : never;

/** An event that was given up, with the message of its last failure. */
export type FailedTillEvent = TillEvent & Omit<FailedEvent, keyof HandledEvent>;

/** An event with the names that its record has in TypeScript. */
export function tillEvent<Event extends HandledEvent>({ data, ...event }: Event): TillEvent & Omit<Event, 'data'> {
  const group = event.type.slice(0, event.type.indexOf('.'));
  // The type of the record follows from the type of the event.
  return { ...event, [group]: fromWire(data) } as unknown as TillEvent & Omit<Event, 'data'>;
}
